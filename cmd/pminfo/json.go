package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"math"
	"time"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// A record is what --json writes of a metric or an instance domain, an object on a line: the name,
// and what the other options ask for (docs/output.md).
type record struct {
	Metric string  `json:"metric,omitempty"`
	PMID   string  `json:"pmid,omitempty"`
	Type   string  `json:"type,omitempty"`
	Sem    string  `json:"semantics,omitempty"`
	Units  *string `json:"units,omitempty"`
	InDom  string  `json:"indom,omitempty"`

	OneLine *string `json:"oneline,omitempty"`
	Help    *string `json:"help,omitempty"`
	valueRecord
	Instances []instanceRecord `json:"instances,omitempty"`
	Problems  []string         `json:"problems,omitempty"` // of -v
	Error     string           `json:"error,omitempty"`
}

type instanceRecord struct {
	ID   int32  `json:"id"`
	Name string `json:"name"`
	valueRecord
}

// A valueRecord is what metrics without instances and instances have in common.
type valueRecord struct {
	Labels json.RawMessage `json:"labels,omitempty"`
	Series string          `json:"series,omitempty"`
	Value  json.RawMessage `json:"value,omitempty"`
	Events []eventRecord   `json:"events,omitempty"`
}

type eventRecord struct {
	Time   string   `json:"time"`
	Flags  uint32   `json:"flags"`
	Missed int32    `json:"missed,omitempty"`
	Params []record `json:"parameters"`
}

// write writes a record. Labels are as the source has them: some may not be JSON.
func (r *reporter) write(rec *record) {
	enc := json.NewEncoder(r.out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(rec); err != nil {
		_ = enc.Encode(&record{Metric: rec.Metric, InDom: rec.InDom, Error: err.Error()}) // strings always are
	}
}

func (r *reporter) metricJSON(ctx context.Context, m *metric) {
	rec := record{Metric: m.name}
	if r.show.pmid {
		rec.PMID = m.id.String()
	}
	if r.show.desc {
		rec.describe(m)
	}
	if r.show.oneline {
		rec.OneLine = textJSON(r.text(ctx, m.id, pcp.OneLine, m.oneline))
	}
	if r.show.help {
		rec.Help = textJSON(r.text(ctx, m.id, pcp.Help, m.help))
	}
	if r.show.fetch {
		r.valuesJSON(ctx, m, &rec)
	}
	if r.show.labels {
		rec.Labels = pcp.AppendLabels(nil, r.metricLabels(ctx, &m.desc, m.desc.ID.Domain()))
	}
	if r.show.series {
		rec.Series = r.series(ctx, m)
	}
	if r.show.labels || r.show.series {
		r.instancesJSON(ctx, &m.desc, &rec)
	}
	r.write(&rec)
}

func (rec *record) describe(m *metric) {
	if m.noDesc != nil {
		rec.Error = "pmLookupDesc: " + pmerr.Message(m.noDesc)
		return
	}
	units := m.desc.Units.String()
	rec.Type, rec.Sem, rec.Units = m.desc.Type.String(), m.desc.Sem.String(), &units
	if m.desc.InDom != pcp.NullInDom {
		rec.InDom = m.desc.InDom.String()
	}
}

func textJSON(text string, err error) *string {
	if err != nil {
		return nil
	}
	return &text
}

func (r *reporter) valuesJSON(ctx context.Context, m *metric, rec *record) {
	d, v := &m.desc, m.fetched
	switch {
	case v.Err != nil:
		rec.Error = "pmFetch: " + v.Err.Error()
	case d.InDom == pcp.NullInDom && v.Len() > 0:
		rec.valueRecord = r.valueRecord(ctx, v, 0)
	case v.Len() > 0:
		names := r.names(ctx, d.InDom)
		for i, inst := range v.Insts {
			name, _ := names.Find(inst)
			rec.Instances = append(rec.Instances, instanceRecord{inst, name, r.valueRecord(ctx, v, i)})
		}
	}
}

func (r *reporter) valueRecord(ctx context.Context, v *pcp.Values, i int) valueRecord {
	return valueRecord{Value: r.valueJSON(v, i), Events: r.eventsJSON(ctx, v, i)}
}

// valueJSON returns a value: a number with all its digits, or a string. JSON has no infinities.
func (r *reporter) valueJSON(v *pcp.Values, i int) json.RawMessage {
	if v.Odd != nil && v.Odd[i].Bad {
		return quoteJSON(string(r.values.AppendValue(nil, v, i, 1)))
	}
	switch v.Type {
	case pcp.Float, pcp.Double:
		f, err := v.Value(i).Float64()
		bits := 64
		if v.Type == pcp.Float {
			bits = 32
		}
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return json.RawMessage("null")
		}
		return format.AppendShort(nil, f, bits)
	case pcp.String:
		return quoteJSON(string(bytes.TrimRight(v.Value(i).Bytes(), "\x00")))
	}
	text := r.values.AppendValue(nil, v, i, 1)
	if !v.Type.Arithmetic() {
		return quoteJSON(string(text))
	}
	return text
}

func (r *reporter) eventsJSON(ctx context.Context, v *pcp.Values, i int) []eventRecord {
	if !r.show.events || v.Type != pcp.Event && v.Type != pcp.HighResEvent {
		return nil
	}
	unpacked, err := pcp.UnpackEvents(v.Value(i))
	if err != nil {
		return nil // the value says that it cannot be taken apart
	}
	events := make([]eventRecord, len(unpacked))
	for i := range unpacked {
		e := &unpacked[i]
		zone := cmp.Or(r.values.Location, time.UTC)
		events[i] = eventRecord{Time: e.Time.Time().In(zone).Format(time.RFC3339Nano), Flags: uint32(e.Flags), Missed: e.Missed, Params: []record{}}
		for j := range e.Params {
			events[i].Params = append(events[i].Params, r.paramJSON(ctx, &e.Params[j]))
		}
	}
	return events
}

func (r *reporter) paramJSON(ctx context.Context, p *pcp.Param) record {
	rec := record{PMID: p.ID.String()}
	if names, err := r.src.Names(ctx, p.ID); err == nil {
		rec.Metric = names[0]
	}
	d, err := pmapi.LookupDesc(ctx, r.src, p.ID)
	if err != nil {
		rec.Error = "pmLookupDesc: " + pmerr.Message(err)
		return rec
	}
	v := p.Column(d.Type)
	rec.Value = r.valueJSON(&v, 0)
	return rec
}

func quoteJSON(s string) json.RawMessage {
	b, _ := json.Marshal(s) // strings have no errors
	return b
}

// instancesJSON adds labels and series identifiers to the instances, of which some may be there
// already, with their values.
func (r *reporter) instancesJSON(ctx context.Context, d *pcp.Desc, rec *record) {
	if d.InDom == pcp.NullInDom {
		return
	}
	at := make(map[int32]int, len(rec.Instances))
	for i, in := range rec.Instances {
		at[in.ID] = i
	}
	list := r.instances(ctx, d.InDom)
	for _, in := range list {
		if _, ok := at[in.inst]; !ok {
			at[in.inst] = len(rec.Instances)
			rec.Instances = append(rec.Instances, instanceRecord{ID: in.inst, Name: in.shown})
		}
	}
	if r.show.series {
		for i, id := range r.instanceSeries(ctx, d, list) {
			rec.Instances[at[list[i].inst]].Series = id
		}
	}
	if r.show.labels {
		for i, labels := range r.instanceLabels(ctx, d, list) {
			rec.Instances[at[list[i].inst]].Labels = json.RawMessage(labels)
		}
	}
}

func (r *reporter) indomJSON(ctx context.Context, d pcp.InDom) {
	rec := record{InDom: d.String()}
	if r.show.oneline {
		rec.OneLine = textJSON(pmapi.LookupText(ctx, r.src, pcp.OneLine|pcp.InDomText, uint32(d)))
	}
	if r.show.help {
		rec.Help = textJSON(pmapi.LookupText(ctx, r.src, pcp.Help|pcp.InDomText, uint32(d)))
	}
	if r.show.labels {
		rec.Labels = pcp.AppendLabels(nil, r.indomLabels(ctx, d))
	}
	r.write(&rec)
}

func (r *reporter) verifyJSON(name string, findings []pcp.Finding, why string) {
	rec := record{Metric: name}
	for _, f := range findings {
		rec.Problems = append(rec.Problems, f.String())
	}
	if why != "" {
		rec.Problems = append(rec.Problems, why)
	}
	if rec.Problems != nil {
		r.write(&rec)
	}
}
