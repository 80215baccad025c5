package sourcetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

const maxSamples = 2000

const liveSamples = 4

type sample struct {
	time pcp.Timestamp
	sets []pcp.Values
}

// request returns all metrics in reverse, with an unknown one in the middle and the first one again at the end.
func (k *kit) request() []pcp.ID {
	list := slices.Clone(k.ids)
	slices.Reverse(list)
	list = slices.Insert(list, len(list)/2, k.unknownID())
	return append(list, list[0])
}

// stored returns the metrics whose values do not depend on earlier fetches: the client does not compute them.
func (k *kit) stored() []pcp.ID {
	return slices.DeleteFunc(slices.Clone(k.ids), pcp.ID.IsDerived)
}

func (k *kit) move() {
	var res pcp.Result
	err := k.src.Fetch(k.ctx, &pmapi.Request{IDs: k.ids}, &res)
	if err != nil && !errors.Is(err, pmerr.EOL) && !k.bare {
		k.errorf("Fetch(%s): %v", some(k.ids), err)
	}
}

func (k *kit) read(src pmapi.Source, req *pmapi.Request, dst *pcp.Result) (sample, error) {
	if err := src.Fetch(k.ctx, req, dst); err != nil {
		return sample{}, err
	}
	if len(dst.Sets) != len(req.IDs) {
		k.errorf("Fetch(%s): %d columns, want %d", some(req.IDs), len(dst.Sets), len(req.IDs))
		return sample{}, pmerr.IPC
	}
	first := make(map[pcp.ID]int, len(req.IDs))
	for i, id := range req.IDs {
		col := &dst.Sets[i]
		if msg := k.flaw(id, req.Profile, col); msg != "" {
			k.errorf("Fetch(%s) at %s: column %d: %s: %s", some(req.IDs), show(dst.Time), i, msg, text(col))
		}
		if j, again := first[id]; !again {
			first[id] = i
		} else if text(&dst.Sets[j]) != text(col) {
			k.errorf("Fetch(%s) at %s: columns %d and %d differ: %s, %s", some(req.IDs), show(dst.Time), j, i, text(&dst.Sets[j]), text(col))
		}
	}
	if t, ok := pmapi.As[pmapi.Timeline](src); ok && t.Origin() != dst.Time {
		k.errorf("Fetch: the result is of %s, Origin is %s", show(dst.Time), show(t.Origin()))
	}
	s := sample{time: dst.Time, sets: make([]pcp.Values, len(dst.Sets))}
	for i := range dst.Sets {
		s.sets[i] = clone(&dst.Sets[i])
	}
	return s, nil
}

// flaw returns the first violation in a column, or "".
func (k *kit) flaw(id pcp.ID, p *pcp.Profile, col *pcp.Values) string {
	d, known := k.descs[id]
	n := len(col.Insts)
	switch {
	case col.ID != id:
		return fmt.Sprintf("it is of %v, want %v", col.ID, id)
	case col.Err != nil && (n > 0 || len(col.Words) > 0 || len(col.Blobs) > 0):
		return "values beside an error"
	case col.Odd != nil && len(col.Odd) != n:
		return "as many odd values as instances are wanted"
	case n == 0 && len(col.Words) == 0 && len(col.Blobs) == 0:
		return ""
	case !known:
		return "values of an unknown metric"
	case col.Type != d.Type:
		return fmt.Sprintf("values are of type %v, want %v", col.Type, d.Type)
	case d.Type.Arithmetic() && (len(col.Words) != n || len(col.Blobs) > 0), !d.Type.Arithmetic() && (len(col.Blobs) != n || len(col.Words) > 0):
		return fmt.Sprintf("%d instances, %d words and %d byte slices", n, len(col.Words), len(col.Blobs))
	case d.InDom == pcp.NullInDom && (n > 1 || col.Insts[0] != pcp.NullInst):
		return "a singular metric has one value, of no instance"
	}
	seen := make(map[int32]bool, n)
	for _, inst := range col.Insts {
		switch {
		case d.InDom != pcp.NullInDom && inst == pcp.NullInst:
			return "a value of no instance"
		case seen[inst]:
			return fmt.Sprintf("instance %d is there twice", inst)
		case !p.Selects(d.InDom, inst):
			return fmt.Sprintf("the profile does not select instance %d", inst)
		}
		seen[inst] = true
	}
	return ""
}

// stream fetches until the end of a recording, or liveSamples times, each time into the result of next.
func (k *kit) stream(src pmapi.Source, req *pmapi.Request, next func() *pcp.Result) (list []sample) {
	_, recorded := pmapi.As[pmapi.Timeline](src)
	for recorded || len(list) < liveSamples {
		s, err := k.read(src, req, next())
		switch {
		case recorded && errors.Is(err, pmerr.EOL):
			return list
		case err != nil:
			k.errorf("Fetch(%s), number %d: %v", some(req.IDs), len(list), err)
			return list
		case len(list) == maxSamples:
			k.errorf("Fetch(%s): no end after %d fetches", some(req.IDs), maxSamples)
			return list
		}
		list = append(list, s)
	}
	return list
}

func oneResult() func() *pcp.Result {
	res := new(pcp.Result)
	return func() *pcp.Result { return res }
}

// from positions the Source, and returns n samples, or all if n is negative.
func (k *kit) from(m pcp.Mode, at pcp.Timestamp, ids []pcp.ID, n int) (list []sample) {
	if err := k.time.SetMode(m, &at, 0); err != nil || k.time.Origin() != at {
		k.errorf("SetMode(%d, %s): error %v, Origin is %s", m, show(at), err, show(k.time.Origin()))
		return nil
	}
	if n < 0 {
		return k.stream(k.src, &pmapi.Request{IDs: ids}, oneResult())
	}
	var res pcp.Result
	for len(list) < n {
		s, err := k.read(k.src, &pmapi.Request{IDs: ids}, &res)
		if err != nil {
			if !errors.Is(err, pmerr.EOL) {
				k.errorf("Fetch(%s) after SetMode(%d, %s): %v", some(ids), m, show(at), err)
			}
			break
		}
		list = append(list, s)
	}
	return list
}

func (k *kit) same(what string, got, want []sample) {
	for i := range max(len(got), len(want)) {
		g, w := "nothing", "nothing"
		if i < len(got) {
			g = got[i].String()
		}
		if i < len(want) {
			w = want[i].String()
		}
		if g != w {
			k.errorf("%s: sample %d is\n\t%s\nwant\n\t%s", what, i, g, w)
			return
		}
	}
}

func (s sample) String() string {
	var b strings.Builder
	b.WriteString(show(s.time))
	for i := range s.sets {
		b.WriteString(" | ")
		b.WriteString(text(&s.sets[i]))
	}
	return b.String()
}

func some(ids []pcp.ID) string {
	const most = 8
	if len(ids) <= most {
		return fmt.Sprint(ids)
	}
	return fmt.Sprintf("%v and %d more", ids[:most], len(ids)-most)
}

func show(t pcp.Timestamp) string { return fmt.Sprintf("%d.%09d", t.Sec, t.Nsec) }

// text returns a column as text, with its type only if it has values.
func text(v *pcp.Values) string {
	c := *v
	if c.Err != nil {
		c.Err = pmerr.Of(c.Err)
	}
	if c.Len() == 0 {
		c.Type = pcp.Unknown
	}
	return fmt.Sprintf("%+v", c)
}

func clone(v *pcp.Values) pcp.Values {
	c := *v
	c.Insts, c.Words, c.Odd = slices.Clone(v.Insts), slices.Clone(v.Words), slices.Clone(v.Odd)
	c.Blobs = nil
	for _, b := range v.Blobs {
		c.Blobs = append(c.Blobs, slices.Clone(b))
	}
	return c
}
