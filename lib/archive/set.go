package archive

import (
	"cmp"
	"context"
	"runtime/debug"
	"slices"
	"strings"

	"pmtools/lib/archive/internal/content"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
)

// A Set is one or more archives of the same host, sorted by time. Its metadata is read by Open and
// does not change; values recorded later can be read. It may be shared by goroutines.
type Set struct {
	opt     Options
	members []*member // ascending by start

	names     pmns.Tree
	descs     map[pcp.ID]pcp.Desc
	indoms    map[pcp.InDom]*domain
	labels    map[labelIdent][]observation
	texts     map[textIdent][]byte
	textKinds map[uint32]bool
}

func newSet(opt *Options) *Set {
	s := &Set{
		descs:     make(map[pcp.ID]pcp.Desc),
		indoms:    make(map[pcp.InDom]*domain),
		labels:    make(map[labelIdent][]observation),
		texts:     make(map[textIdent][]byte),
		textKinds: make(map[uint32]bool),
		names:     pmns.Tree{LatestFirst: true},
	}
	if opt != nil {
		s.opt = *opt
	}
	return s
}

// merge adds the metadata of an archive. A metric that differs from an earlier description is an error
// (archive.md A3.2).
func (s *Set) merge(m *metadata) error {
	size := 0
	for i := range m.descs {
		size += len(m.descs[i].names)
	}
	var text strings.Builder // all names, which stay in use: one piece of memory instead of thousands
	text.Grow(size)
	for i := range m.descs {
		if err := s.mergeDesc(&m.descs[i], &text); err != nil {
			return err
		}
	}
	for i := range m.indoms {
		rec := &m.indoms[i]
		d := s.indoms[rec.indom]
		if d == nil {
			d = &domain{id: rec.indom, warn: s.opt.Warn, release: s.release}
			s.indoms[rec.indom] = d
		}
		d.obs = append(d.obs, rec.observation)
	}
	for i := range m.labels {
		rec := &m.labels[i]
		s.labels[rec.labelIdent] = append(s.labels[rec.labelIdent], rec.observation)
	}
	for _, d := range s.indoms {
		d.settle()
	}
	for _, list := range s.labels {
		sortByTime(list)
	}
	for i := range m.texts {
		rec := &m.texts[i]
		s.texts[rec.textIdent] = rec.text
		s.textKinds[rec.kind] = true
	}
	return nil
}

// mergeDesc adds the description and the names of a metric. The first metric to claim a name keeps it;
// NullID has no names. text has room for the names.
func (s *Set) mergeDesc(rec *descRecord, text *strings.Builder) error {
	d := &rec.desc
	if old, ok := s.descs[d.ID]; ok {
		if err := changed(&old, d); err != nil {
			return err
		}
	} else {
		s.descs[d.ID] = *d
	}
	if d.ID == pcp.NullID {
		return nil
	}
	rec.each(func(name []byte) {
		start := text.Len()
		text.Write(name)
		s.names.Add(text.String()[start:], d.ID)
	})
	return nil
}

// changed returns the code of the first difference of two descriptions, in the reference's order
// (archive.md A3.2).
func changed(a, b *pcp.Desc) error {
	switch {
	case a.Type != b.Type:
		return pmerr.LogChangeType
	case a.Sem != b.Sem:
		return pmerr.LogChangeSem
	case a.InDom != b.InDom:
		return pmerr.LogChangeInDom
	case a.Units != b.Units:
		return pmerr.LogChangeUnits
	}
	return nil
}

func (s *Set) join(m *member) error {
	i, found := slices.BinarySearchFunc(s.members, m, func(a, b *member) int {
		return a.label.Start.Compare(b.label.Start)
	})
	if found {
		return pmerr.LogOverlap
	}
	s.members = slices.Insert(s.members, i, m)
	return nil
}

// like reports whether s was opened from the same files as other, so that positions of other are valid in
// s. s may have later volumes.
func (s *Set) like(other *Set) bool {
	sameVolume := func(a, b *volume) bool { return a.number == b.number }
	return s == other || slices.EqualFunc(s.members, other.members, func(a, b *member) bool {
		return a.name == b.name && a.label == b.label && len(a.volumes) >= len(b.volumes) &&
			slices.EqualFunc(a.volumes[:len(b.volumes)], b.volumes, sameVolume)
	})
}

func (s *Set) release() {
	for _, m := range s.members {
		m.release()
	}
}

// Close frees everything. It may be called twice.
func (s *Set) Close() error {
	var first error
	for _, m := range s.members {
		err := m.close()
		first = cmp.Or(first, err)
	}
	return first
}

// Label returns the label of the first archive.
func (s *Set) Label() Label { return s.members[0].label }

// End returns the logical end of the last archive: the time of its last complete record. Without
// such a record End fails, but there may still be readable records. When ctx is done, its error is
// returned.
func (s *Set) End(ctx context.Context) (t pcp.Timestamp, err error) {
	return s.members[len(s.members)-1].end(ctx)
}

// Desc returns the description of a metric, or pmerr.PMIDLog.
func (s *Set) Desc(id pcp.ID) (pcp.Desc, error) {
	d, ok := s.descs[id]
	if !ok {
		return pcp.Desc{}, pmerr.PMIDLog
	}
	return d, nil
}

// Descs returns the descriptions of all metrics, which must not be changed.
func (s *Set) Descs() map[pcp.ID]pcp.Desc { return s.descs }

// Text returns a help text of a metric or of an instance domain. Without full help it returns the
// one-line text. If nothing was recorded, the error is pmerr.Text, or pmerr.NotHost for an archive
// without any text of that kind.
func (s *Set) Text(id uint32, isInDom bool, kind pcp.TextKind) (text string, err error) {
	defer content.Unguard(debug.SetPanicOnFault(true), &err)
	text, err = s.text(id, isInDom, kind)
	if kind == pcp.Help && text == "" {
		return s.text(id, isInDom, pcp.OneLine)
	}
	return text, err
}

func (s *Set) text(id uint32, isInDom bool, kind pcp.TextKind) (string, error) {
	bits := textType(isInDom, kind)
	if text, ok := s.texts[textIdent{bits, id}]; ok {
		return string(text), nil
	}
	if s.textKinds[bits] {
		return "", pmerr.Text
	}
	return "", pmerr.NotHost
}

func (s *Set) warn(msg string) {
	if s.opt.Warn != nil {
		s.opt.Warn(msg)
	}
}
