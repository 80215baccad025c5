package report

import (
	"math"
	"slices"

	"pmtools/derive/query"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

// This file averages the values of a report over its samples.
//
// Each value counts for the time since the sample before: the average of rates is that between the first and the
// last sample. A quotient also counts as much as its divisor: the average of the time per request is that of all
// requests, not of the samples.

// divisor returns the divisor of an expression that is a quotient, maybe with a constant factor; "" for others.
func divisor(e syntax.Expr) string {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return divisor(e.X)
	case *syntax.NestExpr:
		return divisor(e.X)
	case *syntax.RescaleExpr:
		return divisor(e.X)
	case *syntax.BinaryExpr:
		switch {
		case e.Op == syntax.STAR && constant(e.X):
			return divisor(e.Y)
		case e.Op == syntax.STAR && constant(e.Y), e.Op == syntax.SLASH && constant(e.Y):
			return divisor(e.X)
		case e.Op == syntax.SLASH:
			return syntax.Print(e.Y)
		}
	}
	return ""
}

// constant reports whether an expression is a number.
func constant(e syntax.Expr) bool {
	switch syntax.Unparen(e).(type) {
	case *syntax.IntLit, *syntax.FloatLit:
		return true
	}
	return false
}

// Averaged returns the expressions with the divisors that Average needs.
func (x *Expansion) Averaged() []string {
	list := slices.Clone(x.Exprs)
	for _, name := range x.Exprs {
		if d := x.divisors[nameOf(name)]; d != "" && !slices.Contains(list, d) {
			list = append(list, d)
		}
	}
	return list
}

// Average makes the samples of Averaged, of which there are two or more, end in one of averages. It has no values of
// texts, of counters, and of discrete numbers, or those of columns of the type raw, that have changed. Expressions that are only divisors are taken away.
func (x *Expansion) Average(st *query.Stream) {
	a := &averages{expansion: x, stream: st, last: make(map[hostKey]pcp.Timestamp)}
	if st.Header != nil {
		a.begin()
	}
	samples := st.Samples
	st.Samples = func(yield func(*sampling.Sample, error) bool) {
		n := 0
		for smp, err := range samples {
			if err != nil {
				a.end(n, yield, err)
				return
			}
			shown := *smp
			if smp.Missing == "" {
				shown.Sets = a.add(smp)
				n++
			}
			if !yield(&shown, nil) {
				return
			}
		}
		a.end(n, yield, nil)
	}
}

// raw reports whether a column is of the type raw: its numbers may be names, such as that of a processor.
func (x *Expansion) raw(name string) bool {
	return slices.ContainsFunc(x.bounds, func(b *Bound) bool { return b.by[name] != nil && b.by[name].Type == "raw" })
}

// averages are those of a stream so far.
type averages struct {
	expansion *Expansion
	stream    *query.Stream
	divisors  []int // of each metric the place of its divisor; -1 for none
	means     [][]mean
	at        []map[instanceKey]int // of each metric, into its means
	last      map[hostKey]pcp.Timestamp
	time      pcp.Timestamp
}

// A hostKey is a metric of a host.
type hostKey struct {
	metric int
	host   string
}

// An instanceKey is an instance of a host.
type instanceKey struct {
	id   int32
	host string
}

// A mean is the average of a value so far.
type mean struct {
	of          sampling.Value // the first one
	sum, weight float64
	varies      bool
}

// begin finds the divisors, and takes those away that are not columns.
func (a *averages) begin() {
	h, onlyDivisor := a.stream.Header, make(map[string]bool)
	for _, d := range a.expansion.divisors {
		onlyDivisor[d] = true
	}
	for _, expr := range a.expansion.Exprs {
		delete(onlyDivisor, nameOf(expr))
	}
	n := len(h.Metrics)
	for n > 0 && onlyDivisor[h.Metrics[n-1].Name] {
		n--
	}
	for _, m := range h.Metrics[:n] {
		name := a.expansion.divisors[m.Name]
		d := slices.IndexFunc(h.Metrics, func(m sampling.Metric) bool { return m.Name == name && m.Counter == nil })
		a.divisors, a.at, a.means = append(a.divisors, d), append(a.at, make(map[instanceKey]int)), append(a.means, nil)
	}
	h.Metrics, a.stream.Exprs = h.Metrics[:n], a.stream.Exprs[:min(n, len(a.stream.Exprs))]
}

// add adds the values of a sample, and returns those that are not only divisors.
func (a *averages) add(smp *sampling.Sample) []sampling.Set {
	if a.divisors == nil {
		a.begin()
	}
	for i := range a.divisors {
		if m := &a.stream.Header.Metrics[i]; m.Desc.Type.Arithmetic() && m.Desc.Sem != pcp.Counter {
			a.set(smp, i)
		}
	}
	a.time = smp.Time
	return smp.Sets[:len(a.divisors)]
}

// set adds the values of a metric.
func (a *averages) set(smp *sampling.Sample, metric int) {
	set, weights := &smp.Sets[metric], map[instanceKey]float64(nil)
	timed := set
	if d := a.divisors[metric]; d >= 0 {
		timed = &smp.Sets[d]
		weights = make(map[instanceKey]float64, timed.Len())
		for i := range timed.Len() {
			v := timed.At(i)
			weights[instanceKey{v.ID, v.Host}] = v.Number()
		}
	}
	since := make(map[string]float64)
	for i := range timed.Len() {
		host := timed.At(i).Host
		if _, known := since[host]; !known {
			since[host] = a.since(smp, metric, host)
		}
	}
	for i := range set.Len() {
		v := set.At(i)
		weight := since[v.Host]
		if weights != nil {
			w, known := weights[instanceKey{v.ID, v.Host}]
			if !known {
				w = weights[instanceKey{pcp.NullInst, v.Host}]
			}
			weight *= w
		}
		a.value(metric, &v, weight)
	}
}

// since returns the seconds from the values of a metric before to those of a sample. Records of an archive may lack a
// metric.
func (a *averages) since(smp *sampling.Sample, metric int, host string) float64 {
	h, key := a.stream.Header, hostKey{metric, host}
	before, known := a.last[key]
	a.last[key] = smp.Time
	switch {
	case !known && smp.Since == (pcp.Timestamp{}):
		return h.Interval.Seconds()
	case !known || h.Hosts == nil && (h.Live || h.Interval > 0):
		before = smp.Since
	}
	return smp.Time.Sub(before)
}

// value adds a value that counts so much.
func (a *averages) value(metric int, v *sampling.Value, weight float64) {
	f := v.Number()
	if math.IsNaN(f) || math.IsInf(f, 0) || !(weight > 0) {
		return
	}
	key := instanceKey{v.ID, v.Host}
	i, known := a.at[metric][key]
	if !known {
		i = len(a.means[metric])
		a.at[metric][key] = i
		a.means[metric] = append(a.means[metric], mean{of: *v})
	}
	m := &a.means[metric][i]
	m.sum += f * weight
	m.weight += weight
	m.varies = m.varies || f != m.of.Number()
}

// end yields the averages of n samples, and then the error that has ended these.
func (a *averages) end(n int, yield func(*sampling.Sample, error) bool, failed error) {
	if n > 1 {
		smp := &sampling.Sample{Time: a.time, Average: true, Sets: make([]sampling.Set, len(a.means))}
		for i, means := range a.means {
			m := &a.stream.Header.Metrics[i]
			discrete := m.Desc.Sem == pcp.Discrete || a.expansion.raw(m.Name)
			for _, m := range means {
				if m.varies {
					m.of.Value = pcp.DoubleValue(m.sum / m.weight)
				}
				if !m.varies || !discrete {
					smp.Sets[i].Append(m.of)
				}
			}
		}
		if !yield(smp, nil) {
			return
		}
	}
	if failed != nil {
		yield(nil, failed)
	}
}
