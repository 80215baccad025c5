package source

import (
	"strings"
	"testing"
	"time"

	"pmtools/cmd/internal/cli"
	"pmtools/lib/option"
)

// TestArchiveOptions: what the environment says about interpolation. The message is that of the
// reference, with its empty line.
func TestArchiveOptions(t *testing.T) {
	const bad = "pmval: Warning: bad $PCP_IGNORE_MARK_RECORDS: not in pmParseInterval(3) format:\n1x\n ^ -- unexpected value\n\n"
	tests := []struct {
		vars   string // NAME=VALUE
		interp bool
		gap    time.Duration
		wrap   bool
		errs   string
	}{
		{"", true, 0, false, ""},
		{"PCP_IGNORE_MARK_RECORDS=", true, -1, false, ""},
		{"PCP_IGNORE_MARK_RECORDS=", false, 0, false, ""},
		{"PCP_IGNORE_MARK_RECORDS=0", true, -1, false, ""},
		{"PCP_IGNORE_MARK_RECORDS=10s", true, 10 * time.Second, false, ""},
		{"PCP_IGNORE_MARK_RECORDS=1x", true, 0, false, bad},
		{"PCP_IGNORE_MARK_RECORDS=1x", false, 0, false, ""},
		{"PCP_COUNTER_WRAP=", true, 0, true, ""},
	}
	for _, tt := range tests {
		var errs strings.Builder
		name, value, set := strings.Cut(tt.vars, "=")
		env := &cli.Env{Prog: "pmval", Stderr: &errs, LookupEnv: func(n string) (string, bool) { return value, set && n == name }}
		o := New(env, new(option.Parser), "")
		o.Interpolates = tt.interp
		opt := o.archiveOptions()
		if opt.MarkGap != tt.gap || opt.CounterWrap != tt.wrap || errs.String() != tt.errs {
			t.Errorf("%s, %v: gap %v, wrap %v, %q", tt.vars, tt.interp, opt.MarkGap, opt.CounterWrap, &errs)
		}
	}
}
