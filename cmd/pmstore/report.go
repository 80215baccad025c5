package main

import (
	"context"
	"strconv"

	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// report prints a line for each new value: those that were stored or, with -F, those that were
// fetched afterwards.
func (s *session) report(ctx context.Context, now *pcp.Values) {
	old := &s.old.Sets[0]
	names := s.instNames(ctx, now.Insts)
	var b []byte
	for i, inst := range now.Insts {
		b = append(b[:0], s.name...)
		if s.desc.InDom != pcp.NullInDom {
			b = appendInst(b, inst, names)
		}
		b = append(b, " old value="...)
		if at := s.place(inst, i); at >= 0 {
			b = s.format.AppendValue(b, old, at, 1)
		} else {
			b = append(b, `"(none)"`...)
		}
		b = s.format.AppendValue(append(b, " new value="...), now, i, 1)
		s.env.Out.Write(append(b, '\n'))
	}
}

// place returns the index of an instance among the old values, or -1. The index of its new value is
// i.
func (s *session) place(inst int32, i int) int {
	old := &s.old.Sets[0]
	switch {
	case s.desc.InDom != pcp.NullInDom:
		return old.Find(inst)
	case i < old.Len():
		return i
	}
	return -1
}

func appendInst(b []byte, inst int32, names map[int32]string) []byte {
	b = strconv.AppendInt(append(b, " inst ["...), int64(inst), 10)
	if name, ok := names[inst]; ok {
		b = append(append(append(b, ` or "`...), name...), '"')
	}
	return append(b, ']')
}

// instNames returns the names of instances. If all instances were stored to, it asks for the whole
// domain at once, and then for each instance that is missing.
func (s *session) instNames(ctx context.Context, insts []int32) map[int32]string {
	if s.desc.InDom == pcp.NullInDom {
		return nil
	}
	names := make(map[int32]string, len(insts))
	if len(insts) > 1 && len(s.flags.insts) == 0 {
		if list, err := pmapi.InstancesOf(ctx, s.src, s.desc.InDom, pmapi.Now()); err == nil {
			for _, in := range list {
				names[in.ID] = in.Name
			}
		}
	}
	for _, inst := range insts {
		if _, known := names[inst]; known {
			continue
		}
		if name, err := s.src.InstName(ctx, s.desc.InDom, inst); err == nil {
			names[inst] = name
		}
	}
	return names
}
