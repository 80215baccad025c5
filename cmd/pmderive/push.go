package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"pmtools/cmd/internal/samples"
	"pmtools/cmd/internal/source"
	"pmtools/derive/repl"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/remotewrite"
	"pmtools/lib/version"
)

// pushFlags are the options of push.
type pushFlags struct {
	to      remotewrite.Options
	hosts   string // the file that lists them
	asNamed bool
	labels  []string
	queue   string // the directory, "" for one that does not outlive the run
	size    string
	keep    time.Duration
}

const (
	mostSamples = 10_000          // in a request
	mostBytes   = 4 << 20         // of a request, before it is compressed
	grace       = 5 * time.Second // to send what is left after an interrupt
)

// backoff has the pauses between attempts.
var backoff = remotewrite.Backoff{First: 100 * time.Millisecond, Most: 10 * time.Second}

// newPush returns the command that sends samples to a database.
func (a *app) newPush() *cobra.Command {
	f := &pushFlags{}
	cmd := &cobra.Command{
		Use:   "push --to URL METRIC|NAME=EXPR ...",
		Short: "Send values to a time series database by Prometheus's remote write",
		Long: "Send values to a database that takes Prometheus's remote write 1.0: the records of\n" +
			"an archive, or with -t its values at those intervals, with their own times; of live\n" +
			"sources the values of every interval, until Ctrl-C. What the database cannot take for\n" +
			"a time waits on disk.",
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
	fs.StringVar(&f.hosts, "hosts", "", "read hosts from `FILE`, one a line; - is standard input")
	fs.BoolVar(&f.asNamed, "as-named", false, "label host as -h and --hosts name them, not as they name themselves")
	fs.StringVar(&f.queue, "queue", "", "keep what has not been sent in `DIR`; the next run sends it")
	fs.StringVar(&f.size, "queue-size", "256M", "let the queue take `SIZE` of the disk")
	fs.DurationVar(&f.keep, "resend", 20*time.Second, "after a lost connection send the last `DURATION` again; 0 for nothing")
	_ = cmd.MarkFlagRequired("to") // the flag exists
	return cmd
}

// A push takes the samples of a run to a queue, from which they are sent.
type push struct {
	a       *app
	asNamed bool
	extra   []remotewrite.Label // of all series
	queue   *remotewrite.Queue
	request remotewrite.Request

	metrics  []samples.Metric
	families []format.Family
	live     bool
	ctx      context.Context // of the run
	round    int
	next     time.Time               // when metrics are described again
	hosts    []map[string]*instances // of each expression, by the host
	told     map[string]bool
	lost     int  // samples that found no room
	crowded  int  // those not later than the one before
	dropped  int  // samples that an interrupt kept from the queue
	full     bool // it has been said that there is no room
	back     bool // and that a clock has gone back
	failed   bool
	err      error

	mu     sync.Mutex
	labels map[string]*hostLabels
	names  map[string]string // which host has a name
}

// instances are the series of an expression on a host.
type instances struct {
	round int // in which there were values
	list  map[instance]*series
}

// An instance tells these series apart.
type instance struct {
	id         int32
	name, text string
}

// A series is what is known of one.
type series struct {
	labels remotewrite.Labels
	ms     int64 // the time of the last sample
	round  int   // in which it was
}

// pushAll sends the values of expressions.
func (a *app) pushAll(ctx context.Context, f *pushFlags, args []string) (failed error) {
	size, err := source.ParseSize(f.size)
	if err != nil {
		return fmt.Errorf("--queue-size: %w", err)
	}
	p := &push{a: a, asNamed: f.asNamed, told: make(map[string]bool),
		labels: make(map[string]*hostLabels), names: make(map[string]string)}
	if err := p.addLabels(f.labels); err != nil {
		return err
	}
	if u, err := url.Parse(f.to.URL); err == nil && u.User != nil {
		return fmt.Errorf("--to: %s has a user, and others can see the command line; --user and --password-file take it", u.Redacted())
	}
	f.to.Agent = "pmderive/" + version.Version
	client, err := remotewrite.New(&f.to)
	if errors.Is(err, remotewrite.ErrClear) {
		err = fmt.Errorf("%w, or all the same with --insecure-auth", err)
	}
	if err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	ef := &evalFlags{hosts: f.hosts, records: true}
	if _, err := a.several(ef); err != nil {
		return err
	}
	a.crowd = len(a.hosts) > 0 // even one alone: its connection is made again if it is lost
	a.running = true
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, done, err := queueDir(f.queue)
	if err != nil {
		return fmt.Errorf("--queue: %w", err)
	}
	defer done()
	sync := f.queue != "" && !a.Options.HasArchive // what is recorded can be read again
	if p.queue, err = remotewrite.OpenQueue(&remotewrite.QueueOptions{Dir: dir, Max: size, Keep: f.keep, Sync: sync, Warn: p.say}); err != nil {
		return fmt.Errorf("--queue: %w", err)
	}
	a.push = p
	p.ctx = ctx
	return p.run(ctx, client, func() error {
		set := repl.Settings{Raw: true, Interval: a.Options.Interval}
		if a.crowd {
			return a.evalHosts(ctx, ef, set, args)
		}
		return a.evalOne(ctx, ef, set, args)
	})
}

// queueDir returns the directory of the queue, and what removes it if nobody has asked for it.
func queueDir(name string) (string, func(), error) {
	if name != "" {
		return name, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "pmderive-push-")
	return dir, func() { os.RemoveAll(dir) }, err
}

// addLabels reads the labels of --label.
func (p *push) addLabels(list []string) error {
	for _, l := range list {
		name, value, ok := strings.Cut(l, "=")
		if !ok || name == "" || remotewrite.LabelName(name) != name || strings.HasPrefix(name, "__") {
			return fmt.Errorf("--label=%s is not NAME=VALUE, with letters, digits and _ in the name", l)
		}
		p.extra = append(p.extra, remotewrite.Label{Name: name, Value: value})
	}
	return nil
}

// run sends what produce puts into the queue, and says what has become of it.
func (p *push) run(ctx context.Context, client *remotewrite.Client, produce func() error) error {
	sending, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })()
	var report remotewrite.Report
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		report, _ = remotewrite.Drain(sending, p.queue, client, backoff, p.say) // it ends early with ctx only
	}()
	err := produce()
	if err == nil && ctx.Err() != nil && p.a.Options.HasArchive { // a live source has no other end
		p.failed = true
		p.say(errors.New("interrupted: the rest of the archive is not sent"))
	}
	p.queue.Finish()
	<-ended
	left := p.queue.Waiting() + p.dropped
	if e := p.queue.Close(); err == nil {
		err = e
	}
	fmt.Fprintf(p.a.Env.Out, "%s: %d samples sent", client.Name(), report.Sent)
	for _, x := range []struct {
		n    int
		what string
	}{{report.Refused, "refused"}, {report.Damaged, "damaged in the queue"}, {p.lost, "lost without room in the queue"}, {left, "not sent"}, {p.crowded, "left out, not later than the one before"}} {
		if x.n > 0 {
			fmt.Fprintf(p.a.Env.Out, ", %d %s", x.n, x.what)
		}
	}
	fmt.Fprintln(p.a.Env.Out)
	if err != nil {
		return err
	}
	return exitIf(p.failed || report.Refused+report.Damaged > 0 || p.lost > 0 || left > 0)
}

// say writes what is wrong, or no longer wrong.
func (p *push) say(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.a.Env.Stderr, "%s: %v\n", p.a.Env.Prog, err)
}

// sayOnce says what is wrong with a metric, and that the run has failed.
func (p *push) sayOnce(name string, err error) {
	p.failed = true
	if !p.told[name] {
		p.told[name] = true
		p.say(fmt.Errorf("%s: %w", name, err))
	}
}

// begin takes what the samples of a run have in common.
func (p *push) begin(r *repl.Run) repl.Writer {
	p.live = r.Live
	for _, e := range r.Exprs {
		p.metrics = append(p.metrics, samples.Metric{Name: e.Name, Desc: e.Desc})
		p.hosts = append(p.hosts, make(map[string]*instances))
	}
	p.families = samples.Families(&samples.Header{Metrics: p.metrics})
	return p
}

// describe adds what the metrics are to a request: to the first one, and of a live source to one
// each minute, because databases may have been started meanwhile.
func (p *push) describe() {
	now := time.Now()
	if !p.next.IsZero() && (!p.live || now.Before(p.next)) {
		return
	}
	p.next = now.Add(time.Minute)
	for i := range p.metrics {
		f, m := &p.families[i], &p.metrics[i]
		meta := remotewrite.Metadata{Kind: kinds[f.Kind], Name: f.Name, Help: samples.Help(m)}
		if f.Kind != "info" {
			meta.Unit = f.Unit
		}
		p.request.Describe(&meta)
	}
}

// kinds are the kinds of families.
var kinds = map[string]remotewrite.Kind{"counter": remotewrite.Counter, "gauge": remotewrite.Gauge, "info": remotewrite.Info}

// Sample implements repl.Writer.
func (p *push) Sample(ctx context.Context, smp *repl.Sample) error {
	p.describe()
	for i := range smp.Sets {
		set := &smp.Sets[i]
		switch t := p.metrics[i].Desc.Type; {
		case !t.Arithmetic() && t != pcp.String:
			p.sayOnce(p.metrics[i].Name, fmt.Errorf("a value of type %v is neither a number nor a string, and is not sent", t))
			continue
		case set.Err != nil:
			p.sayOnce(p.metrics[i].Name, set.Err)
			continue
		}
		if err := p.add(ctx, i, set, smp.Time); err != nil {
			return err
		}
	}
	if p.live && p.err == nil {
		p.err = p.flush()
	}
	return p.err
}

// add adds the values of an expression to the request. What a host had before, and has not now
// though it has others, has ended.
func (p *push) add(ctx context.Context, expr int, set *repl.Set, at pcp.Timestamp) error {
	p.round++
	for i := range set.Len() {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		v := set.At(i)
		if !v.Value.IsSet() {
			continue
		}
		number, text, err := p.number(expr, v.Value)
		if err != nil {
			p.sayOnce(p.metrics[expr].Name, err)
			continue
		}
		g := p.hosts[expr][v.Host]
		if g == nil {
			g = &instances{list: make(map[instance]*series)}
			p.hosts[expr][v.Host] = g
		}
		if v.Time != (pcp.Timestamp{}) {
			at = v.Time
		}
		ms := at.Time().UnixMilli()
		in := instance{v.ID, v.Instance, text}
		x := g.list[in]
		if x == nil {
			x = &series{labels: p.encode(expr, &v, text), ms: ms - 1}
			g.list[in] = x
		}
		g.round, x.round = p.round, p.round
		if ms <= x.ms {
			p.crowded++
			p.backwards(v.Host, x.ms, ms)
			continue
		}
		x.ms = ms
		p.put(x.labels, ms, number)
	}
	for _, g := range p.hosts[expr] {
		if g.round == p.round {
			p.end(g)
		}
	}
	return nil
}

// backwards says, the first time, that the clock of a live source has gone back.
func (p *push) backwards(host string, last, ms int64) {
	if !p.live || p.back || ms == last {
		return
	}
	p.back, p.failed = true, true
	if host != "" {
		host += ": "
	}
	p.say(fmt.Errorf("%sthe time has gone back by %v; values are left out until it has caught up", host, time.Duration(last-ms)*time.Millisecond))
}

// end ends the series that have no value in a round, though others have.
func (p *push) end(g *instances) {
	var ms int64
	for _, x := range g.list {
		ms = max(ms, x.ms)
	}
	for in, x := range g.list {
		if x.round == p.round {
			continue
		}
		if ms > x.ms {
			p.put(x.labels, ms, remotewrite.Stale())
		}
		delete(g.list, in)
	}
}

// put adds a sample to the request. A live round is sent at once, but not in one request if it is
// large; one request never has two live samples of a series, so that it can be repeated.
func (p *push) put(labels remotewrite.Labels, ms int64, value float64) {
	if p.err == nil && (p.request.Samples >= mostSamples || p.request.Len() >= mostBytes) {
		p.err = p.flush()
	}
	p.request.Add(labels, ms, value)
}

// number returns a value in the base unit. A string is 1, and its text a label.
func (p *push) number(expr int, v pcp.Value) (f float64, text string, err error) {
	if v.Type() == pcp.String {
		return 1, strings.TrimRight(string(v.Bytes()), "\x00"), nil
	}
	f, err = v.Float64()
	return f * p.families[expr].Factor, "", err
}

// encode returns the labels of a series.
func (p *push) encode(expr int, v *repl.Value, text string) remotewrite.Labels {
	f, m := p.families[expr], &p.metrics[expr]
	var list []remotewrite.Label
	p.mu.Lock()
	if h := p.labels[v.Host]; h != nil {
		list = h.of(m.Name, m.Desc.InDom, v.ID)
	}
	p.mu.Unlock()
	if m.Desc.InDom != pcp.NullInDom {
		list = append(list, remotewrite.Label{Name: "indom", Value: m.Desc.InDom.String()}, remotewrite.Label{Name: "instance", Value: v.Instance})
	}
	if m.Desc.Type == pcp.String {
		list = append(list, remotewrite.Label{Name: "value", Value: text})
	}
	list = append(append(list, p.extra...), remotewrite.Label{Name: "__name__", Value: f.Name + f.Suffix})
	return remotewrite.EncodeLabels(list...)
}

// flush puts the request into the queue. Of an archive it waits for room; live values are lost
// without it.
func (p *push) flush() error {
	if p.request.Samples == 0 {
		return nil
	}
	n := p.request.Samples
	body := p.request.Take()
	var err error
	if p.live {
		err = p.queue.Put(body, n)
	} else {
		err = p.queue.PutWait(p.ctx, body, n)
	}
	switch {
	case err == nil:
		p.full = false
		return nil
	case p.ctx.Err() != nil:
		p.dropped += n
		return err
	}
	p.lost += n
	err = fmt.Errorf("--queue: %w", err)
	if !p.live {
		return err
	}
	if !p.full {
		p.full = true
		p.say(fmt.Errorf("%w; values are lost until there is room", err))
	}
	return nil
}

// Close implements repl.Writer.
func (p *push) Close() error { return p.flush() }
