package push

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"pmtools/cmd/internal/hostfile"
	"pmtools/cmd/internal/repl"
	"pmtools/derive/query"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/remotewrite"
	"pmtools/lib/sampling"
)

// A Watch is the query.Watcher of a push: it takes up the hosts that appear in a file and ends the series of those that go.
type Watch struct {
	push  *Push
	fixed []string // of the command line
	all   []string
	file  *hostfile.Watch // nil for none
}

// NewWatch returns a Watch of the hosts of the command line and those listed in a file, which is watched if it has a name.
func (p *Push) NewWatch(fixed []string, listed []hostfile.Host, file string) *Watch {
	w := &Watch{push: p, fixed: slices.Clone(fixed)}
	if file != "" && file != "-" {
		w.file = &hostfile.Watch{Name: file, Check: func(names []string) error { return query.CheckHosts(slices.Concat(w.fixed, names)) }}
	}
	w.use(listed)
	return w
}

func (w *Watch) use(listed []hostfile.Host) {
	before := w.all
	w.all = slices.Concat(w.fixed, hostfile.Names(listed))
	kept := make(map[string]bool, len(w.all))
	for _, name := range w.all {
		kept[name] = true
	}
	for _, name := range before {
		if !kept[name] {
			w.push.sender.Gone(pmcd.Redact(name))
		}
	}
	for _, h := range listed {
		if labels := labelsOf(h.Labels); labels != nil {
			w.push.Hosts.Extra(pmcd.Redact(h.Name), labels)
		}
	}
}

func labelsOf(m map[string]string) (list []remotewrite.Label) {
	for _, name := range slices.Sorted(maps.Keys(m)) { // of names that become the same the last one counts, always
		list = append(list, remotewrite.Label{Name: remotewrite.LabelName(name), Value: m[name]})
	}
	return list
}

// Hosts implements query.Watcher.
func (w *Watch) Hosts() []string {
	if w.file == nil {
		return w.all
	}
	listed, changed, err := w.file.Changed(time.Now())
	if err != nil {
		w.push.Warn(fmt.Errorf("--hosts: %w; the hosts stay as they were", err))
	}
	if changed {
		w.use(listed)
	}
	return w.all
}

// Heard implements query.Watcher.
func (w *Watch) Heard(host string, state sampling.HostState) { w.push.sender.Heard(host, state) }

// Round implements query.Watcher.
func (w *Watch) Round(context.Context) error { return w.push.sender.Round() }

// public returns the name of a host as all may see it.
func public(name string) string {
	spec, err := pmcd.ParseSpec(name)
	if err != nil { // which CheckHosts has found out
		return pmcd.Redact(name)
	}
	return spec.Public()
}

// Label makes opt open sources whose labels the Sender knows.
func (p *Push) Label(opt *repl.Options) {
	p.Hosts.Public = public
	open, openHost := opt.Open, opt.OpenHost
	watch := func(ctx context.Context, src pmapi.Source, err error, host string) (pmapi.Source, error) {
		if err == nil {
			src, err = p.Hosts.Watch(ctx, src, host, p.opt.AsNamed)
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
