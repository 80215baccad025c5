package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"pmtools/cmd/internal/source"
	"pmtools/derive/query"
	"pmtools/derive/repl"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/remotewrite"
	"pmtools/lib/sampling"
	"pmtools/lib/version"
)

type pushFlags struct {
	to      remotewrite.Options
	hosts   string // the file with their names
	asNamed bool
	labels  []string
	queue   string // the directory, or "" for a temporary one
	size    string
	keep    time.Duration
}

// grace is the time to send what is left after an interrupt.
const grace = 5 * time.Second

// backoff has the pauses between attempts.
var backoff = remotewrite.Backoff{First: 100 * time.Millisecond, Most: 10 * time.Second}

func (a *app) newPush() *cobra.Command {
	f := &pushFlags{}
	cmd := &cobra.Command{
		Use:   "push --to URL METRIC|NAME=EXPR ...",
		Short: "Send values to a time series database by Prometheus's remote write",
		Long: "Send values to a database that takes Prometheus's remote write 1.0: the records of\n" +
			"an archive, or with -t its values at those intervals, with their own times; of live\n" +
			"sources the values of every interval, until Ctrl-C. Values that the database cannot\n" +
			"take for a time wait on disk.",
		Args:              operands(1, math.MaxInt),
		ValidArgsFunction: a.completeExpr,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.pushAll(cmd.Context(), f, args) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	a.addShared(fs, "start", "finish", "align", "origin", "interval", "samples")
	fs.StringVar(&f.to.URL, "to", "", "the `URL` for remote write, such as http://host:8428/api/v1/write")
	fs.StringVar(&f.to.User, "user", "", "`NAME` of the user, whose password is in the file of --password-file")
	fs.StringVar(&f.to.PasswordFile, "password-file", "", "the first line of `FILE` is the password")
	fs.StringVar(&f.to.TokenFile, "token-file", "", "the first line of `FILE` is a bearer token")
	fs.StringVar(&f.to.CAFile, "ca-file", "", "trust servers that the certificates in `FILE` sign, in PEM, and no others")
	fs.BoolVar(&f.to.InsecureAuth, "insecure-auth", false, "send the password or token over plain http, where others can read it")
	fs.DurationVar(&f.to.Timeout, "timeout", 30*time.Second, "a request may take `DURATION`")
	fs.StringArrayVar(&f.labels, "label", nil, "add a label to all series, as `NAME=VALUE`, or change it")
	fs.StringVar(&f.hosts, "hosts", "", "read hosts from `FILE`, one per line; - is standard input")
	fs.BoolVar(&f.asNamed, "as-named", false, "label host as -h and --hosts name them, not as they name themselves")
	fs.StringVar(&f.queue, "queue", "", "keep what has not been sent in `DIR`; the next run sends it")
	fs.StringVar(&f.size, "queue-size", "256M", "let the queue take `SIZE` of the disk")
	fs.DurationVar(&f.keep, "resend", 20*time.Second, "after a lost connection send the last `DURATION` again; 0 for nothing")
	_ = cmd.MarkFlagRequired("to") // the flag exists
	return cmd
}

// A push sends the samples of a run.
type push struct {
	sender  *remotewrite.Sender // nil before the first sample
	a       *app
	asNamed bool
	hosts   remotewrite.Hosts
	labels  []remotewrite.Label // of all series
	queue   *remotewrite.Queue
	ctx     context.Context // of the run
	mu      sync.Mutex      // of standard error
}

func (a *app) pushAll(ctx context.Context, f *pushFlags, args []string) error {
	p := &push{a: a, asNamed: f.asNamed}
	opt, client, err := p.check(f)
	if err != nil {
		return err
	}
	ef := &evalFlags{fleetFlags: fleetFlags{hosts: f.hosts}, several: true}
	if _, err := a.several(ef); err != nil {
		return err
	}
	a.running = true
	var stop func()
	p.ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if f.queue == "" {
		if opt.Dir, err = os.MkdirTemp("", "pmderive-push-"); err != nil {
			return fmt.Errorf("--queue: %w", err)
		}
		defer os.RemoveAll(opt.Dir)
	}
	if p.queue, err = remotewrite.OpenQueue(opt); err != nil {
		return fmt.Errorf("--queue: %w", err)
	}
	interrupted := false
	report, err := remotewrite.Send(p.ctx, p.queue, client, backoff, grace, p.warn, func() (err error) {
		err = p.produce(p.ctx, ef, args)
		if interrupted = err == nil && p.ctx.Err() != nil && a.Options.HasArchive; interrupted { // a live source has no other end
			p.warn(errors.New("interrupted: the rest of the archive is not sent"))
		}
		return err
	})
	if p.sender != nil {
		report.Missing = p.sender.Missing
	}
	fmt.Fprintf(a.Env.Out, "%s: %s\n", client.Name(), &report)
	return cmp.Or(err, exitIf(interrupted || !report.Complete()))
}

// produce puts the samples of expressions into the queue.
func (p *push) produce(ctx context.Context, f *evalFlags, args []string) error {
	hosts := p.a.hosts // one alone counts as several: its connection is made again if it is lost
	s, err := p.a.session(ctx, repl.Settings{Pace: repl.Pace{Interval: p.a.Options.Interval}}, overHosts(hosts), p.watch)
	if err != nil {
		return err
	}
	defer s.Close()
	q, err := p.a.query(ctx, s, f, hosts)
	if err != nil {
		return err
	}
	q.Exprs, q.Raw = args, true
	return p.a.sample(ctx, s, q, func(st *query.Stream) error {
		_, err := st.Write(ctx, p.begin)
		return err
	})
}

// check reads the options that can be wrong.
func (p *push) check(f *pushFlags) (*remotewrite.QueueOptions, *remotewrite.Client, error) {
	size, err := source.ParseSize(f.size)
	if err != nil {
		return nil, nil, fmt.Errorf("--queue-size: %w", err)
	}
	if p.labels, err = remotewrite.ParseLabels(f.labels); err != nil {
		return nil, nil, fmt.Errorf("--label=%w", err)
	}
	if u, err := url.Parse(f.to.URL); err == nil && u.User != nil {
		return nil, nil, fmt.Errorf("--to: %s has a user, and others can see the command line; --user and --password-file take it", u.Redacted())
	}
	f.to.Agent = "pmderive/" + version.Version
	client, err := remotewrite.New(&f.to)
	if errors.Is(err, remotewrite.ErrClear) {
		err = fmt.Errorf("%w, or all the same with --insecure-auth", err)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("--to: %w", err)
	}
	sync := f.queue != "" && !p.a.Options.HasArchive // what is recorded can be read again
	return &remotewrite.QueueOptions{Dir: f.queue, Max: size, Keep: f.keep, Sync: sync, Warn: p.warn}, client, nil
}

// warn writes a problem when it appears and when it ends.
func (p *push) warn(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.a.Env.Stderr, "%s: %v\n", p.a.Env.Prog, err)
}

// begin returns what takes the samples of a run.
func (p *push) begin(h *sampling.Header) (sampling.Writer, error) {
	p.sender = remotewrite.NewSender(p.ctx, h, &remotewrite.SenderOptions{Queue: p.queue, Hosts: &p.hosts, Labels: p.labels, Warn: p.warn})
	return p.sender, nil
}

// watch makes opt open sources whose labels the Sender knows.
func (p *push) watch(opt *repl.Options) {
	open, openHost := opt.Open, opt.OpenHost
	watch := func(ctx context.Context, src pmapi.Source, err error, host string) (pmapi.Source, error) {
		if err == nil {
			src, err = p.hosts.Watch(ctx, src, host, p.asNamed)
		}
		if errors.Is(err, remotewrite.ErrSameName) {
			err = fmt.Errorf("%w; --as-named labels them as they are named here", err)
		}
		return src, err
	}
	opt.Open = func(ctx context.Context, kind, name string) (pmapi.Source, error) {
		src, err := open(ctx, kind, name)
		return watch(ctx, src, err, "")
	}
	opt.OpenHost = func(ctx context.Context, name string) (pmapi.Source, error) {
		src, err := openHost(ctx, name)
		return watch(ctx, src, err, pmcd.Redact(name))
	}
}
