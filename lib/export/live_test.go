package export

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// A clockwork is a live source with the metrics of an archive, whose values are the numbers of
// samples, at times of its own.
type clockwork struct {
	pmapi.Source
	times []int64
	n     int   // samples
	after error // the last one
	seen  func(n int)
}

// Host implements pmapi.Source: nothing is known of the host.
func (c *clockwork) Host() (name, zone string) { return "", "" }

// Instances implements pmapi.Source: there is an instance more with each sample.
func (c *clockwork) Instances(context.Context, []pcp.InDom, pmapi.When) ([]pcp.Answer[[]pcp.Instance], error) {
	var list []pcp.Instance
	for i := range int32(c.n) {
		list = append(list, pcp.Instance{ID: i, Name: fmt.Sprintf("i%d", i)})
	}
	return []pcp.Answer[[]pcp.Instance]{{Value: list}}, nil
}

// Fetch implements pmapi.Source.
func (c *clockwork) Fetch(_ context.Context, req *pmapi.Request, dst *pcp.Result) error {
	if c.n == len(c.times) {
		return c.after
	}
	*dst = pcp.Result{Time: pcp.Timestamp{Sec: c.times[c.n]}}
	c.n++
	for _, id := range req.IDs {
		v := pcp.Values{ID: id, Type: pcp.Uint64}
		for i := range int32(c.n) {
			v.Insts, v.Words = append(v.Insts, i), append(v.Words, uint64(c.n))
		}
		dst.Sets = append(dst.Sets, v)
	}
	if c.seen != nil {
		c.seen(c.n)
	}
	return nil
}

// TestSample: live values are exported as they come: a file for each day that stands under its name
// when the day has ended, and in the end what came before a failure.
func TestSample(t *testing.T) {
	const midnight = 1700006400
	lost := errors.New("connection lost")
	for _, tt := range []struct {
		what    string
		samples int
		cancel  bool
		damage  error
		want    int // samples
	}{
		{"a number of samples", 3, false, nil, 3},
		{"the end of the context", 0, true, nil, 4},
		{"a failure", 0, false, lost, 4},
	} {
		t.Run(tt.what, func(t *testing.T) {
			a, err := pmapi.OpenArchive(t.Context(), archivetest.Path(t, "demo"), nil)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			dir := t.TempDir()
			src := &clockwork{Source: a, times: []int64{midnight - 20, midnight - 10, midnight, midnight + 10}, after: lost}
			src.seen = func(n int) {
				if n == 4 && tt.cancel {
					cancel()
				}
				files := filesOf(dir, "values")
				if n == 4 && len(files) != 1 {
					t.Errorf("%d files after the first day", len(files))
				}
			}
			recs := Sample(src, time.Microsecond, tt.samples)
			sum, err := Write(ctx, recs, recs, &Config{Dir: dir, Name: "live", Metrics: []string{"disk.dev.total"}})
			if err != nil || !errors.Is(sum.Damage, tt.damage) || len(sum.Files) != 2 {
				t.Fatalf("%d files, damage %v, %v", len(sum.Files), sum.Damage, err)
			}
			var want []string
			for n := range tt.want {
				for i := range n + 1 {
					want = append(want, line(src.times[n]*1e9, "disk.dev.total", fmt.Sprintf("%d i%d", i, i), "u64", fmt.Sprint(n+1)))
				}
			}
			slices.Sort(want)
			if got := exported(t, sum.Files); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
			for _, file := range sum.Files {
				if _, err := os.Stat(file); err != nil {
					t.Error(err)
				}
			}
			if left := tree(t, dir); slices.ContainsFunc(left, func(name string) bool { return strings.HasSuffix(name, ".tmp") }) {
				t.Errorf("left behind: %q", left)
			}
		})
	}
	if _, err := NewRecords(&clockwork{}); !errors.Is(err, pmerr.NotArchive) {
		t.Errorf("a live source as a recording: %v", err)
	}
}
