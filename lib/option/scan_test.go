package option

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestScanRecorded compares exit status and messages with recorded ones.
func TestScanRecorded(t *testing.T) {
	for _, block := range strings.Split(testdata(t, "scan.txt"), "\n$ ")[1:] {
		line, want, _ := strings.Cut(block, "\n")
		t.Run(line, func(t *testing.T) {
			var vars, args []string
			dec := json.NewDecoder(strings.NewReader(line))
			if err := dec.Decode(&vars); err != nil {
				t.Fatal(err)
			}
			if err := dec.Decode(&args); err != nil {
				t.Fatal(err)
			}
			w := world{vars: make(map[string]string)}
			for _, v := range vars {
				name, value, _ := strings.Cut(v, "=")
				w.vars[name] = value
			}
			got := w.run(t, args...)
			text := strings.ReplaceAll(got.stderr, testdata(t, args[0]+".usage"), "<usage>\n")
			text = fmt.Sprintf("status %d\n%s", got.status, text)
			if diff := cmp.Diff(strings.TrimSuffix(want, "\n"), strings.TrimSuffix(text, "\n")); diff != "" {
				t.Errorf("%s: -want +got\n%s", line, diff)
			}
		})
	}
}

// TestScanOperands covers arguments and operands, which are not in messages.
func TestScanOperands(t *testing.T) {
	tests := []struct {
		name  string
		posix bool
		args  string // separated by blanks
		want  string // options with their arguments, "|", operands
	}{
		{"nothing", false, "", "|"},
		{"operands only", false, "a b", "| a b"},
		{"cluster", false, "-df x", "d f | x"},
		{"attached argument", false, "-aX -da=b", "a:X d a:=b |"},
		{"next word", false, "-a X y", "a:X | y"},
		{"argument that looks like an option", false, "-a -d -a --", "a:-d a:-- |"},
		{"cluster with an argument", false, "-da -f x", "d a:-f | x"},
		{"mixed", false, "x -d y -f z", "d f | x y z"},
		{"first operand ends", true, "-d x -f", "d | x -f"},
		{"lone dash", false, "- -d", "d | -"},
		{"lone dash ends", true, "- -d", "| - -d"},
		{"two dashes", false, "x -- -d -- y", "| x -d -- y"},
		{"two dashes first", true, "-- -d", "| -d"},
		{"long", false, "--desc --archive=X --archive Y", "d a:X a:Y |"},
		{"long, empty argument", false, "--archive= x", "a: | x"},
		{"long, argument with equals", false, "--archive=a=b", "a:a=b |"},
		{"abbreviated", false, "--arch=X --fetch --fetcha", "a:X f F |"},
		{"exact beats prefix", false, "--fetch", "f |"},
		{"hidden in full", false, "--descend", "H |"},
		{"hidden is no candidate", false, "--desce", "! |"},
		{"repeated", false, "-dd -d", "d d d |"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			operands := recorder(&got).Scan(strings.Fields(test.args), test.posix, func(error) { got = append(got, "!") })
			got = append(append(got, "|"), operands...)
			if text := strings.Join(got, " "); text != test.want {
				t.Errorf("scan(%q) = %q, want %q", test.args, text, test.want)
			}
		})
	}
}

// recorder returns a table whose options write themselves into got.
func recorder(got *[]string) *Table {
	table := new(Table)
	add := func(short, long, word string) {
		table.Func(func(arg string) error {
			if word != "" {
				arg = ":" + arg
			}
			*got = append(*got, short+arg)
			return nil
		}, short, long, word, "")
	}
	add("a", "archive", "FILE")
	add("d", "desc", "")
	add("f", "fetch", "")
	add("F", "fetchall", "")
	add("?", "help", "")
	add("H", "descend", "")
	table.Hide("descend")
	return table
}

// TestScanBytes: short options are bytes, also of letters beyond ASCII.
func TestScanBytes(t *testing.T) {
	got := world{}.run(t, "pminfo", "-é", "-V")
	want := "pminfo: invalid option -- '\xc3'\npminfo: invalid option -- '\xa9'\npminfo version 7.2.2\n"
	if got.stderr != want || got.status != 0 {
		t.Errorf("pminfo -é -V: status %d, %q, want %q", got.status, got.stderr, want)
	}
}

// FuzzScan checks that the scan ends, that every word is accounted for at most once, and that
// errors decide the status.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		"-dQf\x00-V", "--f\x00--=x\x00--\x00-Q", "-a\x00-b\x00x", "--fu=3", "-h\x00a\x00-h\x00b", "---\x00-\x00", "-D\x00,,",
		"-K\x00add,1,p,i", "-é-?", "--archive", "help", "-t\x001x\x00-s\x00-",
	} {
		for i := range 3 {
			f.Add(i, seed)
		}
	}
	f.Fuzz(func(t *testing.T, which int, words string) {
		prog := []string{"pminfo", "pmval", "pmstore"}[uint(which)%3]
		args := strings.Split(words, "\x00")
		got := world{}.run(t, append([]string{prog}, args...)...)
		if len(got.operands) > len(args) {
			t.Errorf("%q: more operands than words: %q", args, got.operands)
		}
		if !got.ran && got.stderr == "" {
			t.Errorf("%q: neither run nor a message", args)
		}
	})
}

func BenchmarkScan(b *testing.B) {
	args := []string{"-dfm", "--arch=X", "-h", "host", "--spec-local", "clear", "sample.bin", "-Z", "UTC", "--", "-x"}
	var got []string
	table := recorder(&got)
	for b.Loop() {
		got = got[:0]
		table.Scan(args, false, func(error) {})
	}
}
