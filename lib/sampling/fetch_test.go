package sampling_test

import (
	"context"
	"errors"
	_ "pmtools/test/env"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/sampling"
)

// live is a source whose every fetch takes some time and may fail.
type live struct {
	pmapi.Source
	takes time.Duration
	fails int // the number of the fetch that fails; 0 for none
	n     int
}

func (l *live) Fetch(ctx context.Context, _ *pmapi.Request, dst *pcp.Result) error {
	l.n++
	select {
	case <-time.After(l.takes):
	case <-ctx.Done():
		return ctx.Err()
	}
	if l.n == l.fails {
		return pmerr.IPC
	}
	*dst = pcp.Result{Time: pcp.TimestampOf(time.Now())}
	return nil
}

// TestLive: samples of a live source come on a schedule; the window, an error or the context ends
// them. The error differs if the context ends while no request is under way.
func TestLive(t *testing.T) {
	for _, tt := range []struct {
		name   string
		src    live
		times  sampling.Times
		within time.Duration
		want   []time.Duration // when there are samples
		err    error
		idle   bool
	}{
		{"a number", live{takes: time.Second}, sampling.Times{Interval: 3 * time.Second, Samples: 3}, time.Hour, []time.Duration{1, 4, 7}, nil, false},
		{"later", live{}, sampling.Times{Interval: 3 * time.Second, Samples: 2, Later: true}, time.Hour, []time.Duration{3, 6}, nil, false},
		{"slow", live{takes: 4 * time.Second}, sampling.Times{Interval: 3 * time.Second, Samples: 3}, time.Hour, []time.Duration{4, 8, 12}, nil, false},
		{"end", live{}, sampling.Times{Interval: 3 * time.Second, End: pcp.Timestamp{Sec: 946684800 + 4}}, time.Hour, []time.Duration{0, 3}, nil, false},
		{"error", live{fails: 2}, sampling.Times{Interval: time.Second}, time.Hour, []time.Duration{0}, pmerr.IPC, false},
		{"idle", live{}, sampling.Times{Interval: 3 * time.Second}, 4 * time.Second, []time.Duration{0, 3}, context.DeadlineExceeded, true},
		{"cut short", live{takes: 3 * time.Second}, sampling.Times{Interval: 3 * time.Second}, 4 * time.Second, []time.Duration{3}, context.DeadlineExceeded, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), tt.within)
				defer cancel()
				begin := time.Now()
				var got []time.Duration
				var failed error
				for f, err := range sampling.Fetches(ctx, &tt.src, &pmapi.Request{}, &tt.times) {
					if failed = err; err == nil {
						got = append(got, f.Time.Time().Sub(begin)/time.Second)
					}
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("samples at %v, want %v", got, tt.want)
				}
				if !errors.Is(failed, tt.err) {
					t.Errorf("error %v, want %v", failed, tt.err)
				}
				if _, idle := errors.AsType[*sampling.IdleError](failed); idle != tt.idle {
					t.Errorf("error %v: idle %v, want %v", failed, idle, tt.idle)
				}
			})
		})
	}
}

// TestRecorded: a recording is read at steps, record by record, or with its marks.
func TestRecorded(t *testing.T) {
	base := archivetest.Path(t, "marks")
	at := func(sec int64) pcp.Timestamp { return pcp.Timestamp{Sec: archivetest.Start + sec} }
	for _, tt := range []struct {
		name  string
		times sampling.Times
		marks bool
		steps bool
	}{
		{"records", sampling.Times{Start: at(0)}, false, false},
		{"marks", sampling.Times{Start: at(0)}, true, false},
		{"steps", sampling.Times{Start: at(0), Interval: 2 * time.Second, Samples: 5}, false, true},
		{"window", sampling.Times{Start: at(10), End: at(20)}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src, err := pmapi.OpenArchive(t.Context(), base, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			req := pmapi.Request{Records: tt.marks}
			if tt.steps {
				src.Walk(t.Context(), "", true, func(_ string, id pcp.ID) bool { req.IDs = append(req.IDs, id); return false })
			}
			var marks, n int
			var last pcp.Timestamp
			for f, err := range sampling.Fetches(t.Context(), src, &req, &tt.times) {
				if err != nil {
					t.Fatal(err)
				}
				if f.Gap {
					marks++
					continue
				}
				if f.Time.Compare(tt.times.Start) < 0 {
					t.Errorf("%v is before the start", f.Time)
				}
				if tt.times.End != (pcp.Timestamp{}) && f.Time.Compare(tt.times.End) > 0 {
					t.Errorf("%v is after the end", f.Time)
				}
				if tt.steps && n > 0 && f.Time.Sub(last) != tt.times.Interval.Seconds() {
					t.Errorf("%v follows %v", f.Time, last)
				}
				last = f.Time
				n++
			}
			if n == 0 {
				t.Error("no samples")
			}
			if tt.steps && n != tt.times.Samples {
				t.Errorf("%d samples", n)
			}
			if (marks > 0) != tt.marks {
				t.Errorf("%d marks", marks)
			}
		})
	}
}
