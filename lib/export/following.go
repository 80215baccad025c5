package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// A Following exports all archives below a directory, and goes on with what is recorded there: archives that
// appear, grow, get other volumes, are merged, packed, renamed or removed. It keeps no file open between two
// exports of an archive, and a few hundred bytes for each.
type Following struct {
	Dir     string
	Archive string        // the only one of Dir that is followed, "" for all below it
	Output  string        // a directory below Dir that is left out, "" for none
	Every   time.Duration // between two exports of an archive, at least
	Poll    time.Duration // between two looks at the directories; 0 for a part of Every
	Idle    time.Duration // ends it when nothing has changed for that long; 0 for never
	Workers int           // exports at the same time
	// Job returns the export of an archive. Its Open opens records with open, by way of an Opener of the archive.
	// Goroutines call it.
	Job  func(name string, open func(context.Context, Opener) (*Records, error)) *Job
	Tell func(error)    // is called when an archive cannot be exported, once
	Sum  func(*Summary) // is called after each export that has added something

	list  *listing
	quiet time.Duration // see listing; 0 for five minutes
}

// An Opener opens a recording.
type Opener func(context.Context) (pmapi.Source, error)

// An ArchiveError says which archive, or directory, cannot be exported.
type ArchiveError struct {
	Name string
	Err  error
}

// Error implements error.
func (e *ArchiveError) Error() string { return e.Name + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *ArchiveError) Unwrap() error { return e.Err }

// Run exports until ctx is done, or Idle ends it. It returns the errors that last.
func (x *Following) Run(ctx context.Context) []error {
	work, done := make(chan *folder), make(chan *folder)
	sums := make(chan *Summary)
	for range max(x.Workers, 1) {
		go func() {
			for f := range work {
				x.folder(ctx, f, sums)
				done <- f
			}
		}()
	}
	defer close(work)
	x.list = newListing(x.Dir, x.Output, cmp.Or(x.quiet, 5*time.Minute))
	x.list.only = x.Archive
	if x.Poll == 0 {
		x.Poll = max(min(x.Every/12, cmp.Or(x.Idle/2, time.Minute), 10*time.Second), 10*time.Millisecond)
	}
	ticker := time.NewTicker(x.Poll)
	defer ticker.Stop()
	queue, busy, ended := x.look(nil), 0, time.Now()
	for ctx.Err() == nil && !(busy == 0 && len(queue) == 0 && x.idle(ended)) {
		var first *folder
		var out chan *folder
		if len(queue) > 0 {
			first, out = queue[0], work
		}
		select {
		case <-ctx.Done():
		case out <- first:
			queue, busy = queue[1:], busy+1
		case sum := <-sums:
			x.Sum(sum)
		case f := <-done:
			f.busy, busy, ended = false, busy-1, time.Now()
			x.tell(f)
		case <-ticker.C:
			queue = x.look(queue)
		}
	}
	for busy > 0 {
		select {
		case sum := <-sums:
			x.Sum(sum)
		case <-done:
			busy--
		}
	}
	return x.problems()
}

// look adds the directories in which there is something to export to the queue.
func (x *Following) look(queue []*folder) []*folder {
	now := time.Now()
	x.list.look(now)
	for _, f := range x.list.folders {
		if !f.busy {
			if len(x.list.ready(f, now)) > 0 {
				f.busy = true
				queue = append(queue, f)
			}
			x.tell(f)
		}
	}
	return queue
}

// idle reports whether all is exported, and nothing has changed for a while.
func (x *Following) idle(ended time.Time) bool {
	now := time.Now()
	if x.Idle == 0 || now.Sub(x.list.grown) < x.Idle || now.Sub(ended) < min(x.Idle, x.Poll) {
		return false
	}
	return !slices.ContainsFunc(x.list.folders, func(f *folder) bool {
		return slices.ContainsFunc(f.archives, func(a *growth) bool { return a.dirty && a.tries < 2 })
	})
}

func (x *Following) tell(f *folder) {
	if err := f.news(); err != nil {
		x.Tell(&ArchiveError{f.path, err})
	}
	for _, a := range f.archives {
		if err := a.news(); err != nil {
			x.Tell(&ArchiveError{a.base, err})
		}
	}
}

func (x *Following) problems() (list []error) {
	for _, f := range x.list.folders {
		if f.err != nil {
			list = append(list, &ArchiveError{f.path, f.err})
		}
		for _, a := range f.archives {
			if a.err != nil {
				list = append(list, &ArchiveError{a.base, a.err})
			}
		}
	}
	slices.SortFunc(list, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return list
}

// folder exports what has changed in a directory.
func (x *Following) folder(ctx context.Context, f *folder, sums chan<- *Summary) {
	now := time.Now()
	for _, a := range x.list.ready(f, now) {
		if ctx.Err() != nil {
			return
		}
		whole := x.list.complete(f, slices.Index(f.archives, a), now)
		a.dirty, a.next = false, now.Add(x.Every)
		sum, err := x.export(ctx, a, whole)
		switch {
		case ctx.Err() != nil:
			a.dirty = true
			if err == nil && len(sum.tables) > 0 {
				sums <- sum
			}
			return
		case errors.Is(err, pmerr.NoData) && !whole:
			a.set(nil) // it has no record yet
			continue
		case err != nil:
			a.set(err)
			a.dirty, a.next, a.resume = true, now.Add(a.pause(x.Poll)), nil
			continue
		}
		x.exported(a, sum, whole)
		if len(sum.tables) > 0 {
			sums <- sum
		}
	}
}

// exported notes what has come of an export.
func (x *Following) exported(a *growth, sum *Summary, whole bool) {
	a.closed, a.resume = whole, sum.next
	a.dirty = sum.unread
	err := sum.Damage
	switch {
	case sum.tail == nil || len(sum.tables) > 0:
		a.torn = 0
	case a.torn < 10:
		a.torn++
	default:
		err = sum.tail
	}
	a.set(err)
	if err != nil {
		a.tries = 2 // the next attempt finds the same
	}
}

// export exports an archive. If it is whole, its files replace those that were written while it grew.
func (x *Following) export(ctx context.Context, a *growth, whole bool) (*Summary, error) {
	return x.Job(a.base, func(ctx context.Context, open Opener) (*Records, error) {
		meta := metaSize(a.base)
		src, err := open(ctx)
		if err != nil {
			return nil, err
		}
		var recs *Records
		if whole {
			recs, err = NewRecords(src)
		} else {
			recs, err = newSnapshot(src, a.base, meta)
		}
		if err != nil {
			return nil, errors.Join(err, src.Close())
		}
		recs.resume = a.resume
		return recs, nil
	}).Run(ctx)
}

// Describe returns a line about what was exported.
func (x *Following) Describe(values, files int64) string {
	if x.Archive != "" {
		return fmt.Sprintf("%s: %d values; files: %d", x.Archive, values, files)
	}
	n, dirs := 0, 0
	for _, f := range x.list.folders {
		n += len(f.archives)
		dirs += min(len(f.archives), 1)
	}
	return fmt.Sprintf("%s: %d values; files: %d; archives: %d; directories: %d", x.Dir, values, files, n, dirs)
}
