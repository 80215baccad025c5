package archive

import (
	"cmp"
	"runtime/debug"
	"slices"

	"pmtools/lib/archive/internal/content"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

func (s *Set) domain(d pcp.InDom) (*domain, error) {
	if d == pcp.NullInDom {
		return nil, pmerr.InDom
	}
	dom := s.indoms[d]
	if dom == nil {
		return nil, pmerr.InDomLog
	}
	return dom, nil
}

// Instances returns the instances that a domain had at a time, ascending by identifier. If nothing
// was recorded by then, the error is pmerr.InDomLog. The slice must not be changed.
func (s *Set) Instances(d pcp.InDom, at pcp.Timestamp) (list []pcp.Instance, err error) {
	defer content.Unguard(debug.SetPanicOnFault(true), &err)
	dom, err := s.domain(d)
	if err != nil {
		return nil, err
	}
	return dom.at(at)
}

// AllInstances returns all instances that a domain ever had with their latest names: those of the
// newest observation ascending by identifier, then the further ones of the observation before it,
// and so on. The slice must not be changed.
func (s *Set) AllInstances(d pcp.InDom) (list []pcp.Instance, err error) {
	defer content.Unguard(debug.SetPanicOnFault(true), &err)
	dom, err := s.domain(d)
	if err != nil {
		return nil, err
	}
	return dom.union(), nil
}

// LookupInst returns the instance that had a name at a time; the part of the name before the first
// blank is enough. If there is none, the error is pmerr.InstLog.
func (s *Set) LookupInst(d pcp.InDom, name string, at pcp.Timestamp) (int32, error) {
	list, err := s.Instances(d, at)
	if err != nil {
		return pcp.NullInst, err
	}
	if id, ok := matchInstance(list, name); ok {
		return id, nil
	}
	return pcp.NullInst, pmerr.InstLog
}

// LookupInstAll is LookupInst over all observations, the newest first.
func (s *Set) LookupInstAll(d pcp.InDom, name string) (inst int32, err error) {
	defer content.Unguard(debug.SetPanicOnFault(true), &err)
	dom, err := s.domain(d)
	if err != nil {
		return pcp.NullInst, err
	}
	dom.mu.Lock()
	defer dom.mu.Unlock()
	for i := len(dom.obs) - 1; i >= 0; i-- {
		if id, ok := matchInstance(dom.list(i), name); ok {
			return id, nil
		}
	}
	return pcp.NullInst, pmerr.InstLog
}

// InstName returns the name that an instance had at a time, or pmerr.InstLog.
func (s *Set) InstName(d pcp.InDom, inst int32, at pcp.Timestamp) (string, error) {
	list, err := s.Instances(d, at)
	if err != nil {
		return "", err
	}
	i, ok := slices.BinarySearchFunc(list, inst, func(x pcp.Instance, id int32) int { return cmp.Compare(x.ID, id) })
	if !ok {
		return "", pmerr.InstLog
	}
	return list[i].Name, nil
}
