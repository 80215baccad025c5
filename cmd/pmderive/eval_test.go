package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/lib/archive/archivetest"
)

// TestWindows has the options about time. The values are the seconds of t.s, whose record number i
// has the value i, 46:40 being the first.
func TestWindows(t *testing.T) {
	path := archivetest.Path(t, "ta")
	for _, tt := range []struct{ options, want string }{
		{"", "40"},
		{"-s 1", "40"},
		{"-s 3", "40 41 42"},
		{"-t 2sec", "40 42 44"},
		{"-t 2sec -S +1", "41 43 45"},
		{"-S 4", "44 45"},
		{"-T 2", "40 41 42"},
		{"-S 1 -T 2", "41 42 43"},
		{"-S @01:46:42 -T @01:46:43", "42 43"},
		{"-O 3", "43 44 45"},
		{"-O -1", "44 45"},
		{"-A 2sec -S 1 -t 2", "42 44"},
		{"-t 500msec -T 1", "40 40 41"},
		{"-S 2001-09-09T03:46:42+02:00 -T @1000000003.5", "42 43"},
		{"-S 2001-09-09T01:46:43.5Z", "44 45"},
		{"-s 100", "40 41 42 43 44 45"},
		{"-d -t 1msec -s 2 -S 1", "unexpected"},
	} {
		args := append([]string{"-a", path, "eval", "-o", "csv"}, strings.Fields(tt.options)...)
		out := runIn("", append(args, "t.d")...)
		var got []string
		for _, row := range strings.Split(out, "\r\n") {
			if time, _, ok := strings.Cut(row, ","); ok && len(time) > 18 {
				got = append(got, time[17:19])
			}
		}
		if tt.want == "unexpected" {
			if !strings.Contains(out, "unexpected value") && len(got) != 2 {
				t.Errorf("%s: %s", tt.options, out)
			}
			continue
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %s, want %s\n%s", tt.options, got, tt.want, out)
		}
	}
}

// TestCSVColumns: the columns stand before the first row, and stay, though the first sample has no
// values; instances are in the order of their identifiers.
func TestCSVColumns(t *testing.T) {
	path := archivetest.Path(t, "ta")
	out := runIn("", "-a", path, "eval", "-o", "csv", "-t", "1", "-s", "2", "x = t.d ? t.b : novalue()")
	want := strings.ReplaceAll(`time,metric,instance,value
2001-09-09T01:46:41Z,x,one,11
2001-09-09T01:46:41Z,x,two blank,21
2001-09-09T01:46:41Z,x,three,31
2001-09-09T01:46:41Z,x,a]b,41
2001-09-09T01:46:41Z,x,a/b,51
`, "\n", "\r\n")
	if out != want {
		t.Errorf("got %q, want %q", out, want)
	}
	out = runIn("", "-a", path, "eval", "-o", "csv", "-t", "1", "-s", "2", "x = t.d ? t.d : novalue()", "t.d")
	if want := "time,x,t.d\r\n2001-09-09T01:46:40Z,,0\r\n2001-09-09T01:46:41Z,1,1\r\n"; out != want {
		t.Errorf("got %q, want %q", out, want)
	}
}

// TestEvalOptions has what the other options change.
func TestEvalOptions(t *testing.T) {
	path := archivetest.Path(t, "ta")
	for _, tt := range []struct{ options, want string }{
		{"-o json -f 3 t.d/3", `"value":0.000}`},
		{"-o json -r t.a", `"values":[{"metric":"t.a","value":0}]`},
		{"-o json -r t.a", `"type":"U32","semantics":"counter","units":"count"}`},
		{"-o json t.a", `"units":"count / sec","counter":{"type":"U32","semantics":"counter","units":"count"}}`},
		{"-o json t.a", `"value":101`},
		{"-o json t.d", `"source":{"kind":"archive","name":"` + path + `","host":"specbox"},"zone":"UTC"`},
		{"-o json n=t.d", `"metric":"n"`},
		{"-o csv --long t.d", "t.d,,0\r\n"},
		{"-o csv --units t.a t.d", "time,t.a [count / sec],t.d\r\n"},
		{"-o openmetrics t.d", "# EOF\n"},
		{"--plot t.s", "┤"},
		{"-f 2 t.s+0.5", "0.50"},
		{"-s 0 t.s", "pmderive: -s 0 asks for no samples\n"},
	} {
		args := append([]string{"-a", path, "eval"}, strings.Fields(tt.options)...)
		if out := runIn("", args...); !strings.Contains(out, tt.want) {
			t.Errorf("%s: %s", tt.options, out)
		}
	}
}

// TestWideCSV: each instance that the archive ever had is a column, whatever the first sample has.
func TestWideCSV(t *testing.T) {
	path := archivetest.Path(t, "indoms")
	for _, tt := range []struct{ options, want string }{
		{"-t record", `time,t.i[one again],t.i[two alpha],t.i[two beta],t.i[three three],t.i[four],t.i[five]
2023-11-14T22:13:20Z,10,20,,30,,
2023-11-14T22:13:30Z,11,,26,31,,
2023-11-14T22:13:40Z,12,,27,,42,
2023-11-14T22:13:50Z,,,,,,53
2023-11-14T22:14:00Z,14,,,,,
`},
		{"-t record -i two,four -S +30", "time,t.i[two alpha],t.i[two beta],t.i[four]\n2023-11-14T22:13:50Z,,,\n2023-11-14T22:14:00Z,,,\n"},
		{"-t record -S +40 -s 1", "time,t.i[one again]\n2023-11-14T22:14:00Z,14\n"},
	} {
		out := runIn("", append(append([]string{"-a", path, "eval", "-o", "csv", "--wide"}, strings.Fields(tt.options)...), "t.i")...)
		if got := strings.ReplaceAll(out, "\r", ""); got != tt.want {
			t.Errorf("%s: got\n%s", tt.options, got)
		}
	}
}

// TestSource has what -z, -Z and the environment say about the source.
func TestSource(t *testing.T) {
	path := archivetest.Path(t, "ta")
	for _, tt := range []struct{ args, want string }{
		{"-Z EST5 -a " + path + " eval -o csv t.d", "2001-09-08T20:46:40-05:00,0"},
		{"-a " + path + " -Z /x eval t.d", "unknown time zone \"/x\""},
		{"-a " + path + " -z eval -o csv t.d", ":46:40"},
		{"-a " + path + " -z -Z UTC eval t.d", "at most one of -Z and -z allowed"},
		{"-a " + path + ",nosuch eval -o csv t.d", "2001-09-09T01:46:40Z,0"},
		{"-h 127.0.0.1:1 eval t.d", "Cannot connect to PMCD on host \"127.0.0.1:1\": Connection refused"},
		{"-h :x eval t.d", "bad host specification"},
	} {
		if out := runIn("", strings.Fields(tt.args)...); !strings.Contains(out, tt.want) {
			t.Errorf("%s: %s", tt.args, out)
		}
	}
}

// TestHelpFiles: the example of ":help files" is a file that works.
func TestHelpFiles(t *testing.T) {
	var example strings.Builder
	for line := range strings.Lines(runIn("", ":help files")) {
		if text, ok := strings.CutPrefix(line, "  "); ok {
			example.WriteString(text)
		}
	}
	file := filepath.Join(t.TempDir(), "my.conf")
	if err := os.WriteFile(file, []byte(example.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	path := archivetest.Path(t, "demo")
	if out := runIn("", "-a", path, "check", file); out != "" {
		t.Errorf("check: %s", out)
	}
	if out := runIn("", "-a", path, "-c", file, "my.disk.rate", ":text my.disk.rate"); !strings.Contains(out, "126.8") || !strings.Contains(out, "transfers of all disks") {
		t.Errorf("got %s", out)
	}
}
