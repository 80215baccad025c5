package option

import (
	"strings"
	"testing"

	_ "pmtools/test/env"
)

// TestEnvironmentErrors: a variable has the errors of its option, also in a command that does not
// have the option, and conflicts with other options.
func TestEnvironmentErrors(t *testing.T) {
	tests := []struct {
		vars string // NAME=VALUE, separated by blanks
		args string
		want string // messages without "pmstore: ", joined by "|"
	}{
		{"PCP_HOST=a", "-h b", "too many hosts requested: b"},
		{"PCP_HOST=", "-h b", "too many hosts requested: b"},
		{"PCP_HOST_LIST=", "-h b", ""},
		{"PCP_HOST_LIST=,", "-h b", ""},
		{"PCP_HOST_LIST=a,", "-h b", "too many hosts requested: b"},
		{"PCP_HOST_LIST=a,b,c", "", "too many hosts requested: a,b,c"},
		{"PCP_HOST_LIST=a,b", "-h c", "too many hosts requested: a,b|too many hosts requested: c"},
		{"PCP_HOST_LIST=a PCP_HOST=b", "", "too many hosts requested: a"},
		{"PCP_HOST_LIST=, PCP_HOST=b", "", ""},
		{"PCP_ARCHIVE=a", "-h b", "only one host or archive allowed"},
		{"PCP_ARCHIVE=", "-h b", "only one host or archive allowed"},
		{"PCP_ARCHIVE=a PCP_HOST=b PCP_HOST_LIST=c", "", "only one host or archive allowed|only one of hosts or archives allowed"},
		{"PCP_TIMEZONE= PCP_HOSTZONE=", "", "at most one of -Z and -z allowed"},
		{"PCP_GUIMODE= PCP_GUIPORT=x", "", "at most one of -g and -p allowed"},
		{"PCP_SAMPLES=x PCP_LOCALPMDA=", "", "-s requires a positive numeric argument"},
		{"PCP_SPECLOCAL=add", "-K del", "pmSpecLocalPMDA failed: expected , after op in spec|pmSpecLocalPMDA failed: expected , after op in spec"},
		{"PCP_START_TIME=", "", "time window options are supported for archives only"},
		{"PCP_ALIGN_TIME=1 PCP_ARCHIVE=a", "-L", "time window options are supported for archives only"},
		{"PCP_ALIGN_TIME=1 PCP_ARCHIVE=a", "", ""},
		{"PCP_FINISH_TIME=1", "", ""},
		{"PCP_ORIGIN=1", "-h x", "time window options are supported for archives only"},
		{"PCP_ORIGIN=1", "", ""},
		{"PCP_HOSTZONE=", "", "use of timezone from metric source requires a source"},
		{"PCP_HOSTZONE=", "-h x", ""},
		{"PCP_HOSTZONE= PCP_ORIGIN=1", "", ""},
		{"PCP_HOSTZONE= PCP_LOCALMODE=", "-h x", "use of timezone from metric source requires a source"},
		{"PCP_DEBUG=pdu,x", "-D y", "unrecognized debug options specification (pdu,x)|unrecognized debug options specification (y)"},
	}
	for _, test := range tests {
		t.Run(test.vars+" "+test.args, func(t *testing.T) {
			w := world{vars: make(map[string]string)}
			for v := range strings.FieldsSeq(test.vars) {
				name, value, _ := strings.Cut(v, "=")
				w.vars[name] = value
			}
			got := w.run(t, append(append([]string{"pmstore"}, strings.Fields(test.args)...), "m", "1")...)
			var messages []string
			for line := range strings.Lines(got.stderr) {
				if text, ok := strings.CutPrefix(line, "pmstore: "); ok {
					messages = append(messages, strings.TrimSuffix(text, "\n"))
				}
			}
			if text := strings.Join(messages, "|"); text != test.want {
				t.Errorf("messages %q, want %q", text, test.want)
			}
			if got.ran != (test.want == "") || (got.status == 1) != (test.want != "") {
				t.Errorf("ran %v, status %d", got.ran, got.status)
			}
			if test.want != "" && !strings.HasSuffix(got.stderr, testdata(t, "pmstore.usage")) {
				t.Errorf("no usage text at the end of %q", got.stderr)
			}
		})
	}
}

// TestDebugVariable: PCP_DEBUG is complained about twice.
func TestDebugVariable(t *testing.T) {
	got := world{vars: map[string]string{"PCP_DEBUG": "foo"}}.run(t, "pminfo", "-V")
	want := "Error: $PCP_DEBUG=foo is not valid, ignored\n" +
		"pminfo: unrecognized debug options specification (foo)\npminfo version 7.2.2\n"
	if got.stderr != want || got.status != 0 {
		t.Errorf("status %d, %q, want %q", got.status, got.stderr, want)
	}
}

// TestLateChecks: a command that knows its source only after its operand.
func TestLateChecks(t *testing.T) {
	tests := []struct {
		args, want string
	}{
		{"-z m", ""},
		{"-S 1 -V", "pmval version 7.2.2\n"},
		{"-S 1", "pmval: error - no metricname specified\n"},
		{"-S 1 -Q m", "pmval: invalid option -- 'Q'\n"},
		{"-S 1 m", "pmval: time window options are supported for archives only\n"},
		{"-S 1 -h x m", "pmval: time window options are supported for archives only\n"},
		{"-S 1 -O 1 m", ""},
		{"-T 1 -h x m", ""},
		{"-L -z -S 1 -A 2 -O 3 m", "pmval: time window options are supported for archives only\n" +
			"pmval: use of timezone from metric source requires a source\n"},
	}
	for _, test := range tests {
		got := world{}.run(t, append([]string{"pmval"}, strings.Fields(test.args)...)...)
		text := strings.TrimSuffix(got.stderr, testdata(t, "pmval.usage"))
		if text != test.want {
			t.Errorf("pmval %s: %q, want %q", test.args, text, test.want)
		}
	}
}
