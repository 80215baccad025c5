package pmcdtest

import (
	"slices"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

func (w *World) resolve(name string) (pcp.ID, pmerr.Code) {
	code := pmerr.Name
	for i := range w.Metrics {
		switch n := w.Metrics[i].Name; {
		case n == name && w.Metrics[i].LookupErr != 0:
			return pcp.NullID, w.Metrics[i].LookupErr
		case n == name:
			return w.Metrics[i].Desc.ID, 0
		case strings.HasPrefix(n, name+"."):
			code = pmerr.NonLeaf
		}
	}
	return pcp.NullID, code
}

// lookup answers with identifiers; one name alone that fails is an error.
func (w *World) lookup(names []string) []pdu.Message {
	if len(names) == 0 {
		return refuse(pmerr.TooSmall)
	}
	out := &pdu.IDs{}
	for _, n := range names {
		id, code := w.resolve(n)
		switch {
		case n == "":
			return refuse(pmerr.IPC)
		case code == 0:
			out.Status++
		case len(names) == 1:
			return refuse(code)
		}
		out.IDs = append(out.IDs, id)
	}
	return []pdu.Message{out}
}

func (w *World) names(ids []pcp.ID) []pdu.Message {
	if len(ids) != 1 {
		return refuse(pmerr.IPC)
	}
	out := &pdu.Names{}
	for i := range w.Metrics {
		if w.Metrics[i].Desc.ID == ids[0] {
			out.Names = append(out.Names, w.Metrics[i].Name)
		}
	}
	if len(out.Names) == 0 {
		return refuse(pmerr.PMID)
	}
	return []pdu.Message{out}
}

func (w *World) below(node string) (names []string) {
	if node != "" {
		node += "."
	}
	for i := range w.Metrics {
		if rest, ok := strings.CutPrefix(w.Metrics[i].Name, node); ok {
			names = append(names, rest)
		}
	}
	return names
}

func (w *World) children(m *pdu.Child) []pdu.Message {
	out := &pdu.Names{}
	for _, n := range w.below(m.Name) {
		name, _, deeper := strings.Cut(n, ".")
		if slices.Contains(out.Names, name) {
			continue
		}
		out.Names = append(out.Names, name)
		if m.Status {
			status := pdu.Leaf
			if deeper {
				status = pdu.NonLeaf
			}
			out.Status = append(out.Status, status)
		}
	}
	if len(out.Names) == 0 {
		if _, code := w.resolve(m.Name); code != 0 {
			return refuse(code)
		}
	}
	return []pdu.Message{out}
}

func (w *World) traverse(node string) []pdu.Message {
	out := &pdu.Names{}
	for i := range w.Metrics {
		if n := w.Metrics[i].Name; node == "" || n == node || strings.HasPrefix(n, node+".") {
			out.Names = append(out.Names, n)
		}
	}
	if len(out.Names) == 0 {
		return refuse(pmerr.Name)
	}
	return []pdu.Message{out}
}
