package export

import (
	"context"
	"fmt"
)

// A Batch exports many recordings, several at the same time.
type Batch struct {
	Sets    [][]string // recordings; those of a list are exported one after the other
	Workers int
	Job     func(set string) *Job // goroutines call it
	Show    func(line string)     // see Job
}

type ended struct {
	set string
	job *Job
	sum *Summary
	err error
}

// Run exports all of them until ctx is done, and calls done for each in their order.
func (b *Batch) Run(ctx context.Context, done func(set string, job *Job, sum *Summary, err error)) {
	work := make(chan int)
	results := make([]chan ended, len(b.Sets))
	for i, list := range b.Sets {
		results[i] = make(chan ended, len(list))
	}
	alone := len(b.Sets) == 1
	for range min(max(b.Workers, 1), len(b.Sets)) {
		go func() {
			for i := range work {
				for _, set := range b.Sets[i] {
					results[i] <- b.export(ctx, set, alone)
				}
			}
		}()
	}
	go func() {
		defer close(work)
		for i := range b.Sets {
			work <- i
		}
	}()
	values := int64(0)
	for i, list := range b.Sets {
		for range list {
			e := <-results[i]
			if e.sum != nil {
				values += e.sum.Values
			}
			if b.Show != nil && !alone {
				b.Show("")
			}
			done(e.set, e.job, e.sum, e.err)
			if b.Show != nil && !alone && i < len(b.Sets)-1 {
				b.Show(fmt.Sprintf("%d of %d, %d values", i+1, len(b.Sets), values))
			}
		}
	}
}

func (b *Batch) export(ctx context.Context, set string, alone bool) ended {
	e := ended{set: set, job: b.Job(set)}
	if e.err = ctx.Err(); e.err != nil {
		return e
	}
	if alone {
		e.job.Show = b.Show
	}
	e.sum, e.err = e.job.Run(ctx)
	return e
}
