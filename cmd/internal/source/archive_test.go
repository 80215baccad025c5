package source

import (
	"fmt"
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

// TestUnpackLimit: how much of the disk unpacked archives may take, by the option and the
// environment.
func TestUnpackLimit(t *testing.T) {
	const bad = "pmval: Warning: bad $PMTOOLS_UNPACK_LIMIT: %q is not a size such as 500M, 20G or 1T\n"
	tests := []struct {
		option int64
		value  string
		want   int64
	}{
		{0, "1", 1}, {0, "2K", 2 << 10}, {0, "500M", 500 << 20}, {0, "20G", 20 << 30}, {0, "8191T", 8191 << 40}, {7, "20G", 7}, {7, "x", 7},
		{0, "", 0}, {0, "0", 0}, {0, "-1G", 0}, {0, "G", 0}, {0, "1GG", 0}, {0, "1.5G", 0}, {0, "10Q", 0}, {0, "9000000T", 0}, {0, "1 G", 0},
	}
	for _, tt := range tests {
		var errs strings.Builder
		env := &cli.Env{Prog: "pmval", Stderr: &errs, LookupEnv: func(n string) (string, bool) { return tt.value, n == "PMTOOLS_UNPACK_LIMIT" }}
		o := New(env, new(option.Parser), "")
		o.UnpackLimit = tt.option
		want := ""
		if tt.want == 0 {
			want = fmt.Sprintf(bad, tt.value)
		}
		if got := o.archiveOptions().DiskLimit; got != tt.want || errs.String() != want {
			t.Errorf("%d, %q: %d, %q", tt.option, tt.value, got, &errs)
		}
	}
}
