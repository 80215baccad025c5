package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/lib/archive/archivetest"
)

// messages returns the messages of a run without the usage text, with bars between them.
func messages(args ...string) (text string, status int) {
	got := run(args, nil)
	text, _, _ = strings.Cut(got.Stderr, "Usage: ")
	return strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "|"), got.Status
}

// TestOperand: mistakes in the operand and in the choice of the source are reported together, in
// the reference's order, before the usage text.
func TestOperand(t *testing.T) {
	tests := []struct{ args, want string }{
		{"", "pmval: error - no metricname specified"},
		{"a b", "pmval: error - too many arguments"},
		{"-S 1 a b", "pmval: error - too many arguments"},
		{"m[", "m[|  ^ -- closing ] expected"},
		{"-d m[", "m[|  ^ -- closing ] expected|pmval: delay can only be used with archives"},
		{"-S 1 m[", "m[|  ^ -- closing ] expected|pmval: time window options are supported for archives only"},
		{"-h x a/m", "pmval: only one host or archive allowed"},
		{"-a x h:m", "pmval: only one host or archive allowed"},
		{"-h x -S 1 a/m", "pmval: only one host or archive allowed|pmval: time window options are supported for archives only"},
		{"-a x -S 1 h:m", "pmval: only one host or archive allowed"},
		{"-d m", "pmval: delay can only be used with archives"},
		{"-d -g m", "pmval: delay can only be used with archives"},
		{"-d -g -a x m", "pmval: guiflag cannot be used with delay"},
		{"-d -S 1 m", "pmval: time window options are supported for archives only|pmval: delay can only be used with archives"},
		{"-L -z m", "pmval: use of timezone from metric source requires a source"},
		{"-U x -L m", "pmval: uninterpolated mode can only be used with archives"},
		{"-U x -L -d m", "pmval: uninterpolated mode can only be used with archivespmval: delay can only be used with archives"},
		{"-U x @:m", "pmval: uninterpolated mode can only be used with archives"},
		{"-f x m", "pmval: -f requires +ve numeric argument"},
		{"-f -1 m", "pmval: -f requires +ve numeric argument"},
		{"-w 0 m", "pmval: -w requires +ve numeric argument"},
		{"-w -3 -f z m", "pmval: -w requires +ve numeric argument|pmval: -f requires +ve numeric argument"},
		{"--output x m", "pmval: unknown output format 'x'; there are csv and json, see --help"},
		{"--plo m", "pmval: unrecognized option '--plo'"},
		{"--derived /no/such/file m", "pmval: pmLoadDerivedConfig failed: No such file or directory"},
	}
	for _, tt := range tests {
		got, status := messages(strings.Fields(tt.args)...)
		if got != tt.want || status != 1 {
			t.Errorf("pmval %s: got %q, %d, want %q", tt.args, got, status, tt.want)
		}
	}
}

// TestSources: the operand's source beats that of an option of the same kind.
func TestSources(t *testing.T) {
	base := archivetest.Path(t, "marks")
	tests := []struct {
		args []string
		want string // the message; "" if all is well
	}{
		{[]string{"-s", "0", base + "/t.c"}, ""},
		{[]string{"-s", "0", "-a", "/no/such", base + "/t.c"}, ""},
		{[]string{"-s", "0", "-a", base, "t.c"}, ""},
		{[]string{"-s", "0", "-U", base, "-a", base, "t.c"}, ""},
		{[]string{"-a", "/no/such", "t.c"}, `pmval: Cannot open archive "/no/such": No such file or directory`},
		{[]string{"/no/such/t.c"}, `pmval: Cannot open archive "/no/such": No such file or directory`},
		{[]string{"-a", base, "no.such"}, "pmval: pmLookupName(no.such): Unknown metric name"},
		{[]string{"-a", base, "t"}, "pmval: pmLookupName(t): Metric name is not a leaf in PMNS"},
		{[]string{"-a", base, "t.c[x]"}, "pmval: t.c: singular metrics do not have instances"},
		{[]string{"-a", base, "-i", "x", "-s", "0", "t.c"}, ""},
		{[]string{"-a", base, "-f", "10", "t.c"}, "pmval: -f 10 too large for column width 11"},
		{[]string{"-a", base, "-f", "3", "-w", "4", "t.c"}, "pmval: -f 3 too large for column width 4"},
		{[]string{"-a", base, "-f", "0", "-w", "1", "-s", "0", "t.c"}, ""},
		{[]string{"-a", base, "-x", "junk", "-s", "0", "t.c"}, ""},
	}
	for _, tt := range tests {
		got, status := messages(tt.args...)
		if got != tt.want || (status == 0) != (tt.want == "") {
			t.Errorf("pmval %s: got %q, %d, want %q", tt.args, got, status, tt.want)
		}
	}
}

// TestNamesTwice: a second name space is refused.
func TestNamesTwice(t *testing.T) {
	got, status := messages("-n", "/no/such", "m")
	if want := `Error Parsing ASCII PMNS: Cannot open "/no/such"|pmval: Cannot load namespace from "/no/such": No such file or directory`; got != want || status != 1 {
		t.Errorf("got %q, %d", got, status)
	}
}

// TestNamesNotRecorded: unlike pminfo, pmval keeps the names of -n that an archive has no metric
// for.
func TestNamesNotRecorded(t *testing.T) {
	names := filepath.Join(t.TempDir(), "names")
	if err := os.WriteFile(names, []byte("root {\n\tnosuch 29:0:999\n\tmid\n}\nmid {\n\tx 1:1:1\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"nosuch": "pmval: pmLookupDesc: Metric not defined in the PCP archive",
		"mid.x":  "pmval: pmLookupDesc: Metric not defined in the PCP archive",
		"mid":    "pmval: pmLookupName(mid): Metric name is not a leaf in PMNS",
		"never":  "pmval: pmLookupName(never): Unknown metric name",
	} {
		if got, status := messages("-n", names, "-a", archivetest.Path(t, "marks"), name); got != want || status != 1 {
			t.Errorf("%s: got %q, %d, want %q", name, got, status, want)
		}
	}
}

// TestUsageHidden: options that the reference does not have are not in the usage text.
func TestUsageHidden(t *testing.T) {
	usage := run([]string{"-?"}, nil).Stderr
	for _, o := range []string{"--output", "--plot", "--color", "--reconnect", "--completion"} {
		if strings.Contains(usage, o) {
			t.Errorf("%s is in the usage text", o)
		}
	}
	if !strings.HasPrefix(usage, "Usage: pmval [options] metricname\n\nGeneral options:\n  -A TIME, --align=TIME align sample times on natural boundaries\n") {
		t.Errorf("got %q", usage[:200])
	}
}
