package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
	"pmtools/lib/safefile"
	"pmtools/lib/sampling"
)

type own struct {
	r      *Recording
	src    pmapi.Source
	rec    *Recorder
	cancel context.CancelFunc
	began  time.Time

	mu  sync.Mutex
	log *safefile.File
}

// startOwn begins a recording by this process. It returns after the first sample, which shows mistakes in
// the metrics.
func (r *Recording) startOwn(ctx context.Context, cfg *Config, f *folio, h *Host) error {
	src, err := cfg.Open(ctx, h.Name)
	if err != nil {
		return err
	}
	o := &own{r: r, src: src, began: time.Now()}
	if o.log, err = safefile.OpenFile(r.LogFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		return errors.Join(err, src.Close())
	}
	f.created = append(f.created, r.LogFile)
	if o.rec, err = NewRecorder(ctx, src, r.Archive, h.Metrics, &archive.WriterOptions{Version: cfg.Version}); err == nil {
		f.created = append(f.created, r.Archive+".meta", r.Archive+".index", r.Archive+".0")
		if err = o.rec.Sample(ctx); err != nil {
			_ = o.rec.Close()
		}
	}
	if err != nil {
		return errors.Join(err, src.Close(), o.log.Close())
	}
	r.logger = o
	o.logf("Recording the host \"%s\" in the archive %s", r.Host, r.Archive)
	var run context.Context
	run, o.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go o.run(run, h.Interval)
	return nil
}

func (o *own) run(ctx context.Context, interval time.Duration) {
	defer o.cancel()
	var err error
	if interval > 0 {
		err = o.rec.Run(ctx, &sampling.Times{Interval: interval, Later: true})
	}
	if err == nil {
		<-ctx.Done()
	}
	bad := o.rec.Close() // it repeats the recorder's first error
	err = cmp.Or(err, bad)
	err = errors.Join(err, o.src.Close())
	if err != nil {
		o.logf("Error: %v", err)
	}
	_ = o.status("")
	o.mu.Lock()
	_ = o.log.Close()
	o.mu.Unlock()
	o.r.end(err)
}

// logf writes a line to the log. Errors of writing are ignored: the log is only for people.
func (o *own) logf(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	fmt.Fprintf(o.log, "[%s] "+format+"\n", append([]any{time.Now().Format(time.ANSIC)}, args...)...)
}

func (o *own) status(string) error {
	o.logf("%d samples in %s", o.rec.Samples(), time.Since(o.began).Round(time.Second))
	return nil
}

func (o *own) stop() error {
	o.cancel()
	return nil
}

func (o *own) detach() error {
	return fmt.Errorf("record: this process records %s itself: %w", o.r.Host, pmerr.EINVAL)
}
