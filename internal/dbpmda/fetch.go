package dbpmda

import (
	"fmt"
	"strings"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
)

func (s *Session) fetch(words []word) error {
	ids := make([]pcp.ID, len(words))
	for i, w := range words {
		w.text = strings.TrimSuffix(w.text, ",")
		var err error
		if ids[i], err = s.metric(w); err != nil {
			return err
		}
	}
	fmt.Fprint(s.Out, "PMID(s):")
	for _, id := range ids {
		fmt.Fprintf(s.Out, " %s", id)
	}
	fmt.Fprintln(s.Out)
	descs := map[pcp.ID]pcp.Desc{}
	var typeOf func(pcp.ID) pcp.Type
	if s.typed() {
		for _, id := range ids {
			var err error
			if descs[id], err = s.agent.Desc(s.ctx, client, id); err != nil {
				return err
			}
		}
		typeOf = func(id pcp.ID) pcp.Type { return descs[id].Type }
	}
	var r pcp.Result
	formats, err := s.values(ids, typeOf, &r)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "__pmResult dump from %p timestamp: %d.000000000 00:00:0%[2]d.000000000 numpmid: %d\n", &r, r.Changes, len(r.Sets))
	for i := range r.Sets {
		s.dump(&r.Sets[i], formats[i], descs)
	}
	return nil
}

// typed reports whether descriptions are asked for: names of instances need them too.
func (s *Session) typed() bool { return s.getDesc || s.getName }

// values fetches metrics, after a changed profile was sent, and returns the formats of values.
func (s *Session) values(ids []pcp.ID, typeOf func(pcp.ID) pcp.Type, r *pcp.Result) ([]uint32, error) {
	if err := s.sendProfile(); err != nil {
		return nil, err
	}
	formats := make([]uint32, len(ids))
	answer := pdu.Result{Values: r, TypeOf: typeOf, Most: len(ids), Format: func(i int, f uint32) { formats[i] = f }}
	if err := s.agent.Ask(s.ctx, 0, &pdu.Fetch{IDs: ids}, &answer); err != nil {
		return nil, err
	}
	r.Changes = pcp.Changes(r.Time.Sec)
	return formats, nil
}

func (s *Session) sendProfile() error {
	if !s.fresh {
		return nil
	}
	s.fresh = false
	var m pdu.Profile
	m.Exclude, m.Entries = s.profile.Entries()
	return s.agent.Send(&m, 0)
}

func (s *Session) dump(v *pcp.Values, valueFormat uint32, descs map[pcp.ID]pcp.Desc) {
	names, err := s.names.Names(v.ID)
	if err != nil {
		names = []string{"<noname>"}
	}
	or := ", "
	if s.typed() {
		or = " or "
	}
	fmt.Fprintf(s.Out, "  %s (%s): ", v.ID, strings.Join(names, or))
	switch {
	case v.Err != nil:
		fmt.Fprintln(s.Out, v.Err)
		return
	case v.Len() == 0:
		fmt.Fprintln(s.Out, "No values returned!")
		return
	}
	fmt.Fprintf(s.Out, "numval: %d valfmt: %d vlist[]:\n", v.Len(), valueFormat)
	for i, inst := range v.Insts {
		if inst != pcp.NullInst {
			fmt.Fprintf(s.Out, "    inst [%d or %s]", inst, s.instName(descs[v.ID].InDom, inst))
		} else {
			fmt.Fprint(s.Out, "  ")
		}
		value := s.valueText(v, i)
		if !s.typed() && valueFormat == 0 {
			// Without a description the words are all there is.
			odd := pcp.Odd{Bad: true, InSitu: true, Word: uint32(v.Words[i])}
			value = string(new(format.Options).AppendOdd(nil, &odd, 1))
		}
		fmt.Fprintf(s.Out, " value %s\n", value)
	}
}

// instName returns the name of an instance in quotes, or "???" if names are not asked for.
func (s *Session) instName(d pcp.InDom, inst int32) string {
	if s.getName {
		if name, err := s.agent.InstanceName(s.ctx, client, d, inst); err == nil {
			return `"` + name + `"`
		}
	}
	return "???"
}

func (s *Session) valueText(v *pcp.Values, i int) string {
	return string((&format.Options{Location: s.Zone}).AppendValue(nil, v, i, 1))
}

func (s *Session) selects(words []word) error {
	d, err := words[0].inDom()
	if err != nil {
		return err
	}
	op, insts := words[1].text, []int32(nil)
	if op == "add" || op == "delete" {
		if len(words) < 3 {
			return errSyntax
		}
		n, err := words[2].number()
		if err != nil {
			return err
		}
		insts = []int32{int32(n)}
	} else if len(words) > 2 {
		return errSyntax
	}
	switch op {
	case "all", "add":
		s.profile.Add(d, insts...)
	case "none", "delete":
		s.profile.Del(d, insts...)
	default:
		return errSyntax
	}
	s.fresh = true
	return nil
}
