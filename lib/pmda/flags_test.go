package pmda

import (
	"reflect"
	"strings"
	"testing"
)

// TestFlags checks command lines of agents (collector.md C1.3).
func TestFlags(t *testing.T) {
	for _, tt := range []struct {
		args string
		want flags
	}{
		{"", flags{}},
		{"-d 253 -l x.log", flags{domain: 253, log: "x.log"}},
		{"-d253 -pD pdu,fetch", flags{domain: 253, transport: 'p', debug: []string{"pdu", "fetch"}}},
		{"--domain=7 --domain 8 --log= --pipe", flags{domain: 8, transport: 'p'}},
		{"-i 4444", flags{transport: 'i', address: "4444"}},
		{"-i 4444 -i 5555", flags{transport: 'i', address: "5555"}},
		{"--ipv6 4444", flags{transport: '6', address: "4444"}},
		{"-u /tmp/s -U nobody", flags{transport: 'u', address: "/tmp/s", user: "nobody"}},
		{"-h help -d 4", flags{helpFile: "help", domain: 4}},
		{"-d 4 --", flags{domain: 4}},
		{"--install-files x", flags{install: "x"}},
		{"-s /x -v", flags{own: map[string]string{"spool": "/x", "verbose": ""}}},
		{"--spool=a -d4 --spool b --verbose", flags{domain: 4, own: map[string]string{"spool": "b", "verbose": ""}}},
		{"-D PDU, --pmns", flags{debug: []string{"pdu"}, pmns: true}},
		{"-? -z", flags{help: true}},
		{"--help", flags{help: true}},
	} {
		got, err := parseFlags(strings.Fields(tt.args), Flag{Short: 's', Name: "spool", Arg: "DIR"}, Flag{Short: 'v', Name: "verbose"})
		if err != nil || !reflect.DeepEqual(*got, tt.want) {
			t.Errorf("%s: %+v, %v, want %+v", tt.args, got, err, tt.want)
		}
	}
}

// TestBadFlags checks the messages about command lines that are wrong.
func TestBadFlags(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"-d x", "-d requires numeric domain number"},
		{"-d 5x", "-d requires numeric domain number"},
		{"-d -1", "-d requires numeric domain number"},
		{"-D bogus", "unrecognized debug options specification (bogus)"},
		{"-D 5,9", "unrecognized debug options specification (5,9)"},
		{"-i 4 -u y", "-u option clashes with -i option"},
		{"-u y -i 4", "-i option clashes with -u option"},
		{"-p -i 4", "-i option clashes with -p option"},
		{"-6 3 -p", "-p option clashes with -6 option"},
		{"-z", "invalid option -- 'z'"},
		{"-pz", "invalid option -- 'z'"},
		{"-d", "option requires an argument -- 'd'"},
		{"--domain", "option '--domain' requires an argument"},
		{"--nosuch=4", "unrecognized option '--nosuch=4'"},
		{"--pipe=x", "option '--pipe' doesn't allow an argument"},
		{"operand", "unexpected argument 'operand'"},
		{"-d 4 -- -d 5", "unexpected argument '-d'"},
		{"-", "unexpected argument '-'"},
	} {
		if _, err := parseFlags(strings.Fields(tt.args)); err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", tt.args, err, tt.want)
		}
	}
}

// TestDebugOptions checks that all names them all.
func TestDebugOptions(t *testing.T) {
	all, ok := DebugOptions("all")
	if !ok || len(all) < 50 {
		t.Errorf("%d options, %v", len(all), ok)
	}
	if _, ok := DebugOptions(strings.Join(all, ",")); !ok {
		t.Error("not all of all are known")
	}
	if got, ok := DebugOptions("APPL1,appl0,appl1,"); !ok || strings.Join(got, ",") != "appl0,appl1" {
		t.Errorf("%v, %v", got, ok)
	}
}

// FuzzFlags reads any command line. Any command line of an agent is scanned to its end.
func FuzzFlags(f *testing.F) {
	f.Add("-d 5 --log=x -i 4 -u 5")
	f.Add("-- - --= -\x00 --domain")
	f.Fuzz(func(t *testing.T, line string) {
		if got, err := parseFlags(strings.Split(line, " ")); err == nil && got == nil {
			t.Error("no flags")
		}
	})
}

// TestOwnFlags checks options of an agent's own: those that clash, and the usage text.
func TestOwnFlags(t *testing.T) {
	for _, own := range []Flag{{Name: "log"}, {Short: 'l', Name: "x"}, {Short: 'x'}} {
		if _, err := parseFlags(nil, own); err == nil {
			t.Errorf("%+v is taken", own)
		}
	}
	text := usageText("pmdax", []Flag{{Short: 's', Name: "spool", Arg: "DIR", Usage: "watch DIR"}, {Name: "verbose", Usage: "say more"},
		{Name: "a-very-long-name", Arg: "ARGUMENT", Usage: "is long"}})
	for _, want := range []string{"Usage: pmdax [options]\n", "\n  -s DIR, --spool=DIR   watch DIR\n", "\n  --verbose             say more\n",
		"\n  --a-very-long-name=ARGUMENT\n                        is long\n\nExactly"} {
		if !strings.Contains(text, want) {
			t.Errorf("usage text\n%s\nwithout %q", text, want)
		}
	}
}
