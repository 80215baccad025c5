package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// Labels implements pmapi.Labeler.
func (s *Source) Labels(ctx context.Context, kind pcp.LabelKind, ident uint32) ([]pcp.LabelSet, error) {
	var domain uint32
	switch kind {
	case pcp.ContextLabels:
		if s.closed {
			return nil, pmerr.NoContext
		}
		return []pcp.LabelSet{{Inst: pcp.NullInst, Labels: s.contextLabels()}}, nil
	case pcp.DomainLabels:
		domain = ident
	case pcp.InDomLabels, pcp.InstanceLabels:
		domain = pcp.InDom(ident).Domain()
	case pcp.ClusterLabels, pcp.ItemLabels:
		domain = pcp.ID(ident).Domain()
	default:
		return nil, pmerr.Type
	}
	m, err := s.serving(ctx, domain, pmerr.PMID)
	if err != nil {
		return nil, err
	}
	var sets []pcp.LabelSet
	if l, ok := m.provider.(pmda.Labeler); ok {
		if sets, err = l.Labels(ctx, s.client, kind, ident); err != nil {
			return nil, err
		}
	}
	if kind == pcp.DomainLabels && len(sets) == 0 && m.Name != "" {
		sets = []pcp.LabelSet{{Inst: pcp.NullInst, Labels: []pcp.Label{textLabel("agent", m.Name, 0)}}}
	}
	return marked(sets, kind), nil
}

// marked returns a copy of label sets whose labels have the level among their flags.
func marked(sets []pcp.LabelSet, kind pcp.LabelKind) []pcp.LabelSet {
	out := make([]pcp.LabelSet, len(sets))
	for i, set := range sets {
		out[i] = set
		out[i].Labels = slices.Clone(set.Labels)
		for j := range out[i].Labels {
			out[i].Labels[j].Flags |= uint8(kind)
		}
	}
	return out
}

// textLabel returns a label whose value is a string.
func textLabel(name, value string, flags uint8) pcp.Label {
	quoted, err := json.Marshal(value)
	if err != nil {
		quoted = []byte(`""`)
	}
	return pcp.Label{Name: name, Value: string(quoted), Flags: flags}
}

// contextLabels returns what the daemon would say of the host and of a client on
// the same machine (wire.md W8.5).
func (s *Source) contextLabels() []pcp.Label {
	const own = uint8(pcp.ContextLabels)
	labels := []pcp.Label{
		textLabel("hostname", s.opts.hostname(), own),
		textLabel("domainname", s.opts.word("proc/sys/kernel/domainname", "(none)", "localdomain"), own),
		textLabel("machineid", s.opts.word("etc/machine-id", "", "localmachine"), own),
	}
	if gid, ok := s.client.Attrs[pmda.GroupID]; ok {
		labels = append(labels,
			pcp.Label{Name: "groupid", Value: gid, Flags: own | pcp.LabelOptional},
			pcp.Label{Name: "userid", Value: s.client.Attrs[pmda.UserID], Flags: own | pcp.LabelOptional})
	}
	return pcp.MergeLabels(append(s.opts.labels(), labels)...)
}

// labels returns the labels of the host that are in files, in the order in which they
// win.
func (o *Options) labels() [][]pcp.Label {
	const flags = uint8(pcp.ContextLabels) | pcp.LabelCompound
	dir := filepath.Join(o.root(), "etc", "pcp", "labels")
	return append(labelFiles(dir, flags), labelFiles(filepath.Join(dir, "optional"), flags|pcp.LabelOptional)...)
}

// maxLabelFile is the size of the largest file with labels that is read.
const maxLabelFile = 1 << 16

// labelFiles returns the labels in the files of a directory, in the order of their
// names. A file that cannot be read, or is no JSON object, is left out.
func labelFiles(dir string, flags uint8) [][]pcp.Label {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var sets [][]pcp.Label
	for _, e := range entries {
		if fi, err := e.Info(); err != nil || !fi.Mode().IsRegular() || fi.Size() > maxLabelFile || e.Name()[0] == '.' {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			continue
		}
		if labels, err := pcp.ParseLabels(string(text), flags); err == nil {
			sets = append(sets, labels)
		}
	}
	return sets
}

// word returns the first word in a file below the root, or other if there is no such
// file, or nothing in it but none.
func (o *Options) word(file, none, other string) string {
	text, err := os.ReadFile(filepath.Join(o.root(), filepath.FromSlash(file)))
	if err != nil {
		return other
	}
	words := bytes.Fields(text)
	if len(words) == 0 || string(words[0]) == none {
		return other
	}
	return string(words[0])
}

// root returns the directory below which the system's files are.
func (o *Options) root() string {
	if o.Root == "" {
		return string(filepath.Separator)
	}
	return o.Root
}
