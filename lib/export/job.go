package export

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// A Job exports one recording, or a live source, as a command does it.
type Job struct {
	*Config
	Wide  bool // one table with a column for each instance, see Columns
	Check bool // read the files back, see Check
	// Open opens the records and the source over them, which Run closes. A wide table and a check
	// read the records twice, each time from a source of their own: a source keeps the last sample.
	Open func(context.Context) (pmapi.Source, *Records, error)
	Show func(line string) // shows a line of progress in the place of the one before, "" for none; may be nil
}

// Run exports the records, and checks the files if the Job says so. If another process has exported
// records of the same time meanwhile, it begins anew, and exports what that one has not.
func (j *Job) Run(ctx context.Context) (sum *Summary, err error) {
	for range 10 {
		if sum, err = j.run(ctx); !errors.Is(err, errMeanwhile) {
			break
		}
	}
	return sum, err
}

func (j *Job) run(ctx context.Context) (sum *Summary, err error) {
	write := Write
	if j.Wide {
		var columns *Wide
		err := j.with(ctx, func(src pmapi.Source, recs *Records) (err error) {
			columns, err = Columns(ctx, src, recs, j.Config)
			return err
		})
		if err != nil {
			return nil, err
		}
		write = columns.Write
	}
	sum = new(Summary)
	err = j.with(ctx, func(src pmapi.Source, recs *Records) (err error) {
		defer j.showProgress(ctx, recs)()
		*sum, err = write(ctx, src, recs, j.Config)
		sum.Written = err == nil
		return err
	})
	if err == nil && j.Check {
		err = j.with(ctx, func(src pmapi.Source, recs *Records) error { return Check(ctx, src, recs, j.Config, sum) })
	}
	return sum, err
}

// Report returns a line about what was exported.
func (j *Job) Report(sum *Summary) string {
	if len(sum.tables) == 0 {
		return j.Name + ": nothing new"
	}
	text := fmt.Sprintf("%s: %d values of %d metrics", j.Name, sum.Values, sum.Metrics)
	if sum.Events > 0 {
		text += fmt.Sprintf(", %d rows of events", sum.Events)
	}
	text += fmt.Sprintf("; files: %d", len(sum.Files))
	if j.Check {
		text += ", read back and equal"
	}
	return text
}

func (j *Job) with(ctx context.Context, do func(pmapi.Source, *Records) error) error {
	src, recs, err := j.Open(ctx)
	if err != nil {
		return err
	}
	defer src.Close()
	return do(src, recs)
}

const progressEvery = 200 * time.Millisecond

// showProgress makes the export show its progress, and returns a function that removes the last line.
func (j *Job) showProgress(ctx context.Context, recs *Records) func() {
	if j.Show == nil {
		return func() {}
	}
	var start, end pcp.Timestamp
	if line, ok := pmapi.As[pmapi.Timeline](recs); ok && !recs.origin.endless() {
		start, end, _ = line.Bounds(ctx) // without an end, no part of it is shown
	}
	begun := time.Now()
	shown := begun
	j.Progress = func(at pcp.Timestamp, values int64) {
		now := time.Now()
		if now.Sub(shown) < progressEvery {
			return
		}
		shown = now
		part := ""
		if all := end.Sub(start); all > 0 {
			part = fmt.Sprintf("%3.0f%%  ", 100*min(max(at.Sub(start)/all, 0), 1))
		}
		j.Show(fmt.Sprintf("%s: %s%d values, %.1f million/s", j.Name, part, values, float64(values)/1e6/now.Sub(begun).Seconds()))
	}
	return func() {
		if shown != begun {
			j.Show("")
		}
	}
}
