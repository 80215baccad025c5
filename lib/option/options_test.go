package option

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestArchiveList: the lists that PCP 7.2.2 tries to open for one or more -a.
func TestArchiveList(t *testing.T) {
	tests := []struct{ args, want string }{
		{"q,z z", "q,z"},
		{"z q,z", "z,q,z"},
		{"a,b,a", "a,b,a"},
		{"a,b,a a", "a,b,a"},
		{"ab a", "ab,a"},
		{"ab b ab", "ab,b"},
		{"a,b b,a", "a,b,b,a"},
		{"a,b,c a,b", "a,b,c"},
		{"a,b,c b,c", "a,b,c"},
		{" a", ",a"},
		{"a ", "a,"},
		{"a, ", "a,,"},
		{",a ", ",a"},
		{"a,,b ", "a,,b,"},
		{"a b a c", "a,b,c"},
		{"aa,b a", "aa,b,a"},
		{"ab,a a", "ab,a,a"},
		{"ba,a a", "ba,a,a"},
	}
	for _, test := range tests {
		args := []string{"pminfo"}
		for arg := range strings.SplitSeq(test.args, " ") {
			args = append(args, "-a", arg)
		}
		got := world{}.run(t, args...)
		if got.options.Archive != test.want || !got.options.HasArchive || !got.ran {
			t.Errorf("%q: list %q, want %q; %s", args, got.options.Archive, test.want, got.stderr)
		}
	}
}

// TestOptions checks the fields set by options and variables.
func TestOptions(t *testing.T) {
	tests := []struct {
		name string
		vars map[string]string
		args string
		want Options
	}{
		{"none", nil, "m", Options{}},
		{"host", nil, "-h x m", Options{Host: "x", HasHost: true}},
		{"host variable", map[string]string{"PCP_HOST": ""}, "m", Options{HasHost: true}},
		{"host list", map[string]string{"PCP_HOST_LIST": ",a,"}, "m", Options{Host: "a", HasHost: true}},
		{"empty host list", map[string]string{"PCP_HOST_LIST": ","}, "-a A m", Options{Archive: "A", HasArchive: true}},
		{"archives", map[string]string{"PCP_ARCHIVE_LIST": "b,c", "PCP_ARCHIVE": "a"}, "-a d m",
			Options{Archive: "a,b,c,d", HasArchive: true}},
		{"nointerp", nil, "-a x -U y m", Options{Archive: "x,y", HasArchive: true}},
		{"local", nil, "-L m", Options{Local: true}},
		{"local variable", map[string]string{"PCP_LOCALMODE": ""}, "m", Options{Local: true}},
		{"agents", map[string]string{"PCP_SPECLOCAL": "add,3,/o,init"}, "-K add,4,/p,init -K del,3 -K add,3,/q,init -K del,,/p m",
			Options{Agents: []LocalAgent{{Domain: 3, Path: "/q", Init: "init"}}}},
		{"no agents", nil, "-K add,4,/p,init -K clear m", Options{Agents: []LocalAgent{}}},
		{"container", map[string]string{"PCP_CONTAINER": "c"}, "m", Options{Container: "c"}},
		{"container option", map[string]string{"PCP_CONTAINER": "c"}, "--container=d m", Options{Container: "d"}},
		{"derived", nil, "--derived=a:b --derived c m", Options{Derived: []string{"a:b", "c"}}},
		{"zone", nil, "-Z A -Z B m", Options{Timezone: "B", HasTimezone: true}},
		{"empty zone", nil, "--timezone= m", Options{HasTimezone: true}},
		{"zone of the source", map[string]string{"PCP_HOSTZONE": ""}, "-a A m", Options{Archive: "A", HasArchive: true, HostZone: true}},
		{"zone of the default source", nil, "-z m", Options{HostZone: true}},
		{"window", nil, "-a A -S 1 -T 2 -A 3 -O 4 m", Options{Archive: "A", HasArchive: true, Start: "1", Finish: "2", Align: "3",
			Origin: "4", HasStart: true, HasFinish: true, HasAlign: true, HasOrigin: true}},
		{"window variables", map[string]string{"PCP_START_TIME": "1", "PCP_FINISH_TIME": "2", "PCP_ALIGN_TIME": "3", "PCP_ORIGIN_TIME": "4",
			"PCP_ORIGIN": "5", "PCP_ARCHIVE": "A"}, "m", Options{Archive: "A", HasArchive: true, Start: "1", Finish: "2", Align: "3",
			Origin: "4", HasStart: true, HasFinish: true, HasAlign: true, HasOrigin: true}},
		{"own archives", nil, "-O 1 m", Options{Archive: "/var/log/pcp/pmlogger/vm", HasArchive: true, Origin: "1", HasOrigin: true}},
		{"own archives elsewhere", map[string]string{"PCP_ARCHIVE_DIR": "/x"}, "-z -O 1 m",
			Options{Archive: "/x/vm", HasArchive: true, Origin: "1", HasOrigin: true, HostZone: true}},
		{"samples", nil, "-s 7 m", Options{Samples: 7, HasSamples: true}},
		{"samples variable", map[string]string{"PCP_SAMPLES": " +8"}, "m", Options{Samples: 8, HasSamples: true}},
		{"interval", nil, "-t 1min30 m", Options{Interval: 90 * time.Second, HasInterval: true}},
		{"gui", nil, "-g -g m", Options{GUI: true}},
		{"gui port", nil, "-p 3 m", Options{GUIPort: 3, HasGUIPort: true}},
		{"gui port not a number", nil, "-p x m", Options{HasGUIPort: true}},
		{"debug", map[string]string{"PCP_DEBUG": "PDU"}, "-D fetch, -Dvalue m", Options{Debug: Debug{[]string{"pdu", "fetch", "value"}}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := world{vars: test.vars}.run(t, append([]string{"pmval"}, strings.Fields(test.args)...)...)
			if !got.ran || got.status != 0 {
				t.Fatalf("pmval %s: status %d, %s", test.args, got.status, got.stderr)
			}
			if diff := cmp.Diff(test.want, got.options, cmp.AllowUnexported(Debug{})); diff != "" {
				t.Errorf("pmval %s: -want +got\n%s", test.args, diff)
			}
		})
	}
}

// TestNamespaceOption: -n and -N reach the command's hook.
func TestNamespaceOption(t *testing.T) {
	var got []string
	w := world{vars: map[string]string{"PCP_UNIQNAMES": "e"}}
	r := newReference(w.parser("pminfo"))
	r.Namespace = func(file string, unique bool) error {
		if unique {
			file += "!"
		}
		got = append(got, file)
		return nil
	}
	result := r.parse([]string{"-n", "f", "--uniqnames=g", "m"})
	if diff := cmp.Diff([]string{"e!", "f", "g!"}, got); diff != "" || result.status != 0 {
		t.Errorf("status %d, %s, -want +got\n%s", result.status, result.stderr, diff)
	}
}

func TestDebug(t *testing.T) {
	tests := []struct {
		list string
		ok   bool
		has  string
	}{
		{"", true, ""},
		{"pdu", true, "pdu"},
		{"PDU,Misc,QED,getopt", true, "pdu misc qed getopt"},
		{"pdu,", true, "pdu"},
		{"pdu,,", false, ""},
		{",pdu", false, ""},
		{",", false, ""},
		{"all", true, "pdu tls desperate getopt appl9"},
		{"1", false, ""},
		{"pdu ", false, ""},
		{"pdu,foo,fetch", false, ""},
	}
	for _, test := range tests {
		var d Debug
		if ok := d.add(test.list); ok != test.ok {
			t.Errorf("add(%q) = %v, want %v", test.list, ok, test.ok)
		}
		for name := range strings.FieldsSeq(test.has) {
			if !d.Has(name) {
				t.Errorf("add(%q): %s is not set", test.list, name)
			}
		}
		if d.Has("fetch") != (test.list == "all") {
			t.Errorf("add(%q): fetch is %v", test.list, d.Has("fetch"))
		}
		if !test.ok && d.Has("pdu") {
			t.Errorf("add(%q): pdu is set by an invalid list", test.list)
		}
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"": nil, " a  b\t": {"a", "b"}, `a "b c" 'd "e'`: {"a", "b c", `d "e`}, `x"y z"w ''`: {"xy zw", ""}, `a,b 'c,d'`: {"a,b", "c,d"},
	} {
		if got, closed := Words(text); !closed || !slices.Equal(got, want) {
			t.Errorf("Words(%q) = %q, %v, want %q", text, got, closed, want)
		}
	}
	if got, closed := Words(`a "b`); closed || !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("an open quote: %q, %v", got, closed)
	}
}

func TestLocalSpec(t *testing.T) {
	self := os.Args[0] // a program
	tests := []struct {
		text string
		want localSpec
		err  string
	}{
		{"add,30,/x/sample.so,sample_init", localSpec{"add", LocalAgent{30, "/x/sample.so", "sample_init"}}, ""},
		{"add,30,p,i,j", localSpec{"add", LocalAgent{30, "p", "i,j"}}, ""},
		{"add,1,,", localSpec{"add", LocalAgent{1, "", ""}}, ""},
		{"add, +1,,i", localSpec{"add", LocalAgent{1, "", "i"}}, ""},
		{"add,510,p,i", localSpec{"add", LocalAgent{510, "p", "i"}}, ""},
		{"add,511,p,i", localSpec{}, "bad domain in spec"},
		{"add,99999999999999999999,p,i", localSpec{}, "bad domain in spec"},
		{"del,30", localSpec{"del", LocalAgent{30, "", ""}}, ""},
		{"del,30,", localSpec{"del", LocalAgent{30, "", ""}}, ""},
		{"del,,p", localSpec{"del", LocalAgent{-1, "p", ""}}, ""},
		{"del,", localSpec{}, "missing domain in spec"},
		{"del,,", localSpec{}, "missing domain and dso-path in spec"},
		{"clear", localSpec{"clear", LocalAgent{-1, "", ""}}, ""},
		{"add,450," + self + " --a=b,c d", localSpec{"add", LocalAgent{450, self + " --a=b,c d", ""}}, ""},
		{"add,450,'" + self + "' \"a b,c\"", localSpec{"add", LocalAgent{450, "'" + self + "' \"a b,c\"", ""}}, ""},
		{"add,450," + self + " 'a", localSpec{}, "missing closing quote in spec"},
		{"add,450," + self + ",a_init", localSpec{"add", LocalAgent{450, self, "a_init"}}, ""},
		{"del,," + self + " b,c", localSpec{"del", LocalAgent{-1, self + " b,c", ""}}, ""},
	}
	for _, test := range tests {
		got, err := parseLocalSpec(test.text)
		switch {
		case test.err != "" && (err == nil || err.Error() != test.err):
			t.Errorf("parseLocalSpec(%q): %v, want %s", test.text, err, test.err)
		case test.err == "" && err != nil:
			t.Errorf("parseLocalSpec(%q): %v", test.text, err)
		case test.err == "" && got != test.want:
			t.Errorf("parseLocalSpec(%q) = %+v, want %+v", test.text, got, test.want)
		}
	}
}

func TestNumber(t *testing.T) {
	tests := []struct {
		text string
		want int
		ok   bool
	}{
		{"", 0, true},
		{"0", 0, true},
		{"12", 12, true},
		{" \t+12", 12, true},
		{"-12", -12, true},
		{"12 ", 12, false},
		{"12x", 12, false},
		{"0x10", 0, false},
		{"x", 0, false},
		{" ", 0, false},
		{"-", 0, false},
		{"+-1", 0, false},
		{"2147483648", -2147483648, true},
		{"4294967295", -1, true},
		{"-4294967295", 1, true},
		{"9223372036854775807", -1, true},
		{"9223372036854775808", -1, true},
		{"-9223372036854775808", 0, true},
		{"-9223372036854775809", 0, true},
		{"99999999999999999999", -1, true},
	}
	for _, test := range tests {
		if got, ok := Number(test.text); got != test.want || ok != test.ok {
			t.Errorf("Number(%q) = %d, %v, want %d, %v", test.text, got, ok, test.want, test.ok)
		}
	}
}

// FuzzNumber: what follows a number is the end of the text.
func FuzzNumber(f *testing.F) {
	for _, seed := range []string{"", "-9223372036854775808", " +1x", "99999999999999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, rest := LeadingNumber(text); !strings.HasSuffix(text, rest) {
			t.Errorf("LeadingNumber(%q) leaves %q", text, rest)
		}
	})
}
