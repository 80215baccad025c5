// Package push sends samples of archives and live hosts to a database, for the command of that name: it has the options, the queue,
// and the list of hosts, which may change.
package push

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/source"
	"pmtools/lib/remotewrite"
	"pmtools/lib/sampling"
	"pmtools/lib/version"
)

// Options are those of the command line.
type Options struct {
	To      remotewrite.Options
	AsNamed bool
	Labels  []string
	DryRun  bool   // nothing is sent
	Queue   string // the directory, or "" for a temporary one
	Size    string
	Keep    time.Duration

	flags *pflag.FlagSet
}

// AddFlags adds the options to a flag set.
func (o *Options) AddFlags(fs *pflag.FlagSet) {
	o.flags = fs
	fs.StringVar(&o.To.URL, "to", "", "the `URL` for remote write, such as http://host:8428/api/v1/write")
	fs.StringVar(&o.To.User, "user", "", "`NAME` of the user, whose password is in the file of --password-file")
	fs.StringVar(&o.To.PasswordFile, "password-file", "", "the first line of `FILE` is the password")
	fs.StringVar(&o.To.TokenFile, "token-file", "", "the first line of `FILE` is a bearer token")
	fs.StringVar(&o.To.CAFile, "ca-file", "", "trust servers that the certificates in `FILE` sign, in PEM, and no others")
	fs.BoolVar(&o.To.InsecureAuth, "insecure-auth", false, "send the password or token over plain http, where others can read it")
	fs.DurationVar(&o.To.Timeout, "timeout", 30*time.Second, "a request may take `DURATION`")
	fs.BoolVar(&o.DryRun, "dry-run", false, "print the series that would be sent, with the first value of each, and send nothing")
	fs.StringArrayVar(&o.Labels, "label", nil, "add a label to all series, as `NAME=VALUE`, or change it")
	fs.BoolVar(&o.AsNamed, "as-named", false, "label host as -h and --hosts name them, not as they name themselves")
	fs.StringVar(&o.Queue, "queue", "", "keep what has not been sent in `DIR`; the next run sends it")
	fs.StringVar(&o.Size, "queue-size", "256M", "let the queue take `SIZE` of the disk")
	fs.DurationVar(&o.Keep, "resend", 20*time.Second, "after a lost connection send the last `DURATION` again, by default the interval of live values more; 0 for nothing")
}

const (
	// grace is the time to send queued samples after an interrupt.
	grace = 5 * time.Second
	// firstPause and longestPause bound the pauses between attempts.
	firstPause, longestPause = 100 * time.Millisecond, 10 * time.Second
)

// A Push sends the samples of a run.
type Push struct {
	Hosts remotewrite.Hosts
	Watch *Watch // the hosts; nil for one source

	env     *cli.Env
	opt     *Options
	archive bool // the samples are recorded
	client  *remotewrite.Client
	queue   remotewrite.QueueOptions
	labels  []remotewrite.Label           // of all series
	shown   map[remotewrite.Labels]string // lines of series that would be sent
	sender  *remotewrite.Sender
	mu      sync.Mutex // of standard error
}

// New checks the options. Live values come at the interval.
func New(o *Options, env *cli.Env, archive bool, interval time.Duration) (*Push, error) {
	p := &Push{env: env, opt: o, archive: archive}
	size, err := source.ParseSize(o.Size)
	if err != nil {
		return nil, fmt.Errorf("--queue-size: %w", err)
	}
	if p.labels, err = remotewrite.ParseLabels(o.Labels); err != nil {
		return nil, fmt.Errorf("--label=%w", err)
	}
	switch {
	case o.DryRun && o.Queue != "":
		return nil, errors.New("--dry-run sends nothing, also not what is in the --queue")
	case o.DryRun:
		p.shown = make(map[remotewrite.Labels]string)
		o.To.Show = p.show
	case o.To.URL == "":
		return nil, errors.New("--to says where the values go; --dry-run prints them")
	}
	if u, err := url.Parse(o.To.URL); err == nil && u.User != nil {
		return nil, fmt.Errorf("--to: %s has a user, and others can see the command line; --user and --password-file take it", u.Redacted())
	}
	o.To.Agent = "pmderive/" + version.Version
	p.client, err = remotewrite.New(&o.To)
	if errors.Is(err, remotewrite.ErrClear) {
		err = fmt.Errorf("%w, or all the same with --insecure-auth", err)
	}
	if err != nil {
		return nil, fmt.Errorf("--to: %w", err)
	}
	sync := o.Queue != "" && !archive // what is recorded can be read again
	if !archive && !o.flags.Changed("resend") {
		o.Keep += interval // a server that was killed between two rounds is noticed in the second one
	}
	p.queue = remotewrite.QueueOptions{Dir: o.Queue, Max: size, Keep: o.Keep, Sync: sync, Warn: p.Warn}
	return p, nil
}

// Run sends the samples that produce puts into the Push. The error is cli.Exit if missing values have been reported.
func (p *Push) Run(ctx context.Context, produce func(context.Context) error) error {
	ctx, stop := p.env.Interruptible(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer p.env.Unblock(ctx)()
	if p.opt.Queue == "" {
		dir, err := os.MkdirTemp("", "pmderive-push-")
		if err != nil {
			return fmt.Errorf("--queue: %w", err)
		}
		defer os.RemoveAll(dir)
		p.queue.Dir = dir
	}
	queue, err := remotewrite.OpenQueue(&p.queue)
	if err != nil {
		return fmt.Errorf("--queue: %w", err)
	}
	p.sender = remotewrite.NewSender(ctx, &remotewrite.SenderOptions{Queue: queue, Hosts: &p.Hosts, Labels: p.labels, Live: !p.archive, Warn: p.Warn})
	if p.Watch != nil {
		p.Watch.push = p
	}
	interrupted := false
	report, err := remotewrite.Send(ctx, queue, p.client, remotewrite.Backoff{First: firstPause, Most: longestPause}, grace, p.Warn, func() error {
		err := produce(ctx)
		if interrupted = err == nil && ctx.Err() != nil && p.archive; interrupted { // a live source has no other end
			p.Warn(errors.New("interrupted: the rest of the archive is not sent"))
		}
		if !p.archive && (ctx.Err() != nil || err != nil) { // a window that is over may be followed by the next run
			_ = p.sender.End() // the first error says more
		}
		if closed := p.sender.Close(); err == nil && ctx.Err() == nil {
			err = closed
		}
		return err
	})
	report.Missing = p.sender.Missing
	if p.opt.DryRun {
		for _, line := range slices.Sorted(maps.Values(p.shown)) {
			fmt.Fprintln(p.env.Out, line)
		}
	} else {
		fmt.Fprintf(p.env.Out, "%s: %s\n", p.client.Name(), &report)
	}
	if err == nil && (interrupted || !report.Complete()) {
		return cli.Exit(1)
	}
	return err
}

// show keeps the line of a series that would be sent, in the text format of Prometheus.
func (p *Push) show(s *remotewrite.Series, ms int64, value float64) {
	if _, again := p.shown[s.Labels]; again {
		return
	}
	name, labels := "", []string(nil)
	for label, text := range s.Labels.All() {
		if label == "__name__" {
			name = text
		} else {
			labels = append(labels, label+"="+strconv.Quote(text))
		}
	}
	p.shown[s.Labels] = fmt.Sprintf("%s{%s} %s %d", name, strings.Join(labels, ","), strconv.FormatFloat(value, 'g', -1, 64), ms)
}

// Warn writes a problem when it appears and when it ends.
func (p *Push) Warn(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.env.Stderr, "%s: %v\n", p.env.Prog, err)
}

// Begin returns what takes the samples of a run.
func (p *Push) Begin(h *sampling.Header) (sampling.Writer, error) {
	p.sender.Begin(h)
	return p.sender, nil
}
