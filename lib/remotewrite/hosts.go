package remotewrite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// Hosts holds PCP's labels of the hosts whose values are sent. Several goroutines may use it.
type Hosts struct {
	// Public returns the label host of a host that has not told its name, or with asNamed that of each; nil for the name that the client
	// uses, which may have secrets.
	Public func(name string) string

	mu     sync.Mutex
	hosts  map[string]*host
	owners map[string]string // the host that has a label host
	extra  map[string][]Label
}

// ErrSameName is the error of two hosts with one label host.
var ErrSameName = errors.New("the series of two hosts would be the same")

type host struct {
	name   string              // the label host
	descs  map[string]pcp.Desc // of metrics, by their names
	labels pmapi.Labels
}

// Watch returns src, the source of a host, as a Source that notes labels when their metrics and
// instances are first fetched. The goroutine that fetches reads them, because a Source may not be
// shared. The name is "" if there is only one host. The label host is the name, if asNamed, or else
// the name that the source gives itself. Watch closes src if another host has that label already.
func (h *Hosts) Watch(ctx context.Context, src pmapi.Source, name string, asNamed bool) (pmapi.Source, error) {
	label := h.public(name)
	if !asNamed || name == "" {
		label, _ = pmapi.HostName(ctx, src) // beside an error there is a guess, which is good enough
	}
	w := &watched{Source: src, hosts: h, host: &host{name: label, descs: make(map[string]pcp.Desc)},
		names: make(map[pcp.ID][]string), known: make(map[pcp.ID]*watchedMetric), insts: make(map[watchedInst]bool)}
	w.read(ctx, pmapi.LabelObjects())
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.hosts == nil {
		h.hosts, h.owners = make(map[string]*host), make(map[string]string)
	}
	if other, ok := h.owners[label]; ok && other != name {
		err := fmt.Errorf("%w: the host calls itself %s, as %s does", ErrSameName, label, other)
		return nil, errors.Join(err, src.Close())
	}
	h.owners[label], h.hosts[name] = name, w.host
	return w, nil
}

func (h *Hosts) public(name string) string {
	if h.Public == nil {
		return name
	}
	return h.Public(name)
}

// name returns the label host, which is the name that the client uses until the host is first reached.
func (h *Hosts) name(name string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if from := h.hosts[name]; from != nil {
		return from.name
	}
	return h.public(name)
}

// own returns the labels of the host itself.
func (h *Hosts) own(name string) []Label {
	label := Label{Name: "host", Value: h.name(name)}
	h.mu.Lock()
	defer h.mu.Unlock()
	return append(slices.Clone(h.extra[name]), label)
}

// Extra gives the series of a host more labels, which begins with its next series.
func (h *Hosts) Extra(name string, labels []Label) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.extra == nil {
		h.extra = make(map[string][]Label)
	}
	h.extra[name] = labels
}

// forget forgets a host, so that another one may have its label.
func (h *Hosts) forget(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if from := h.hosts[name]; from != nil {
		delete(h.owners, from.name)
	}
	delete(h.hosts, name)
	delete(h.extra, name)
}

// labels returns PCP's labels of a value without optional ones, those of Extra, and the label host.
func (h *Hosts) labels(name, metric string, d pcp.InDom, inst int32) (list []Label) {
	h.mu.Lock()
	defer h.mu.Unlock()
	from := h.hosts[name]
	if from == nil {
		return nil
	}
	desc, ok := from.descs[metric]
	if !ok { // an expression
		desc = pcp.Desc{ID: pcp.NullID, InDom: d}
	}
	for _, l := range pcp.WithoutOptional(from.labels.Of(desc, inst)) {
		// Strings lose their quotes, other values stay as they are in JSON.
		text := l.Value
		if json.Unmarshal([]byte(l.Value), &text) == nil || !strings.HasPrefix(l.Value, `"`) {
			list = append(list, Label{Name: LabelName(l.Name), Value: text})
		}
	}
	return append(append(list, h.extra[name]...), Label{Name: "host", Value: from.name})
}

type watched struct {
	pmapi.Source
	hosts *Hosts
	host  *host // guarded by hosts.mu
	names map[pcp.ID][]string
	known map[pcp.ID]*watchedMetric
	insts map[watchedInst]bool // whose labels have been read
}

type watchedMetric struct {
	indom pcp.InDom
	insts []int32 // of the last fetch
}

type watchedInst struct {
	indom pcp.InDom
	id    int32
}

func (w *watched) Unwrap() pmapi.Source { return w.Source }

// Lookup notes names, so that metrics need not ask for them.
func (w *watched) Lookup(ctx context.Context, names []string) ([]pcp.Answer[pcp.ID], error) {
	list, err := w.Source.Lookup(ctx, names)
	for i := range list {
		if id := list[i].Value; list[i].Err == nil && !slices.Contains(w.names[id], names[i]) {
			w.names[id] = append(w.names[id], names[i])
		}
	}
	return list, err
}

func (w *watched) Fetch(ctx context.Context, req *pmapi.Request, dst *pcp.Result) error {
	err := w.Source.Fetch(ctx, req, dst)
	if err == nil && (len(dst.Sets) > 0 || !req.Records) { // a mark has no values
		w.note(ctx, dst)
	}
	return err
}

func (w *watched) note(ctx context.Context, r *pcp.Result) {
	var ids []pcp.ID
	for i := range r.Sets {
		if v := &r.Sets[i]; v.Len() > 0 && w.known[v.ID] == nil {
			w.known[v.ID] = &watchedMetric{indom: pcp.NullInDom}
			ids = append(ids, v.ID)
		}
	}
	if ids != nil {
		w.metrics(ctx, ids)
	}
	var objects []pmapi.LabelObject
	for i := range r.Sets {
		v := &r.Sets[i]
		m := w.known[v.ID]
		if m == nil || m.indom == pcp.NullInDom || slices.Equal(m.insts, v.Insts) {
			continue
		}
		m.insts = append(m.insts[:0], v.Insts...)
		if o := (pmapi.LabelObject{Kind: pcp.InstanceLabels, Ident: uint32(m.indom)}); w.fresh(m) && !slices.Contains(objects, o) {
			objects = append(objects, o)
		}
	}
	w.read(ctx, objects)
}

// fresh notes the instances of a metric, and reports whether some are new.
func (w *watched) fresh(m *watchedMetric) bool {
	before := len(w.insts)
	for _, id := range m.insts {
		w.insts[watchedInst{m.indom, id}] = true
	}
	return len(w.insts) > before
}

func (w *watched) metrics(ctx context.Context, ids []pcp.ID) {
	answers, err := w.Describe(ctx, ids)
	if err != nil {
		return // the next fetch fails too
	}
	var descs []pcp.Desc
	for i, id := range ids {
		d := answers[i].Value
		if answers[i].Err != nil {
			d.InDom = pcp.NullInDom
		}
		d.ID = id
		w.known[id].indom = d.InDom
		// Expressions over it have the labels of its instances and their domain.
		descs = append(descs, d, pcp.Desc{ID: pcp.NullID, InDom: d.InDom})
		if w.names[id] == nil {
			w.names[id], _ = w.Names(ctx, id) // without a name there is nothing to label
		}
	}
	w.read(ctx, slices.DeleteFunc(pmapi.LabelObjects(descs...), func(o pmapi.LabelObject) bool {
		return o.Kind == pcp.InstanceLabels
	}))
	w.hosts.mu.Lock()
	defer w.hosts.mu.Unlock()
	for i := 0; i < len(descs); i += 2 {
		for _, name := range w.names[descs[i].ID] {
			w.host.descs[name] = descs[i]
		}
	}
}

func (w *watched) read(ctx context.Context, objects []pmapi.LabelObject) {
	sets, _ := pmapi.ReadLabels(ctx, w.Source, objects) // after an error the next fetch fails too
	w.hosts.mu.Lock()
	defer w.hosts.mu.Unlock()
	for i := range sets {
		w.host.labels.Set(objects[i], sets[i])
	}
}
