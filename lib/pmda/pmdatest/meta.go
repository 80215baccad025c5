package pmdatest

import (
	"regexp"
	"slices"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// component is the form of the parts between the dots of a name (collector.md C6.1).
var component = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

func (k *kit) checkNames() {
	if len(k.Names()) == 0 {
		k.errorf("the agent has no names")
	}
	seen := map[string]bool{}
	for _, n := range k.Names() {
		for part := range strings.SplitSeq(n.Name, ".") {
			if !component.MatchString(part) {
				k.errorf("name %q: component %q is not a letter and letters, digits, underscores", n.Name, part)
			}
		}
		if seen[n.Name] {
			k.errorf("name %q occurs twice", n.Name)
		}
		seen[n.Name] = true
	}
	for name := range seen {
		for i, c := range name {
			if c == '.' && seen[name[:i]] {
				k.errorf("name %q is a metric, and stands above %q", name[:i], name)
			}
		}
	}
}

// checkDynamic checks that the answers to the four questions for dynamic names agree.
func (k *kit) checkDynamic() {
	for _, root := range k.Names() {
		if root.ID != pmda.RootID(k.Domain()) {
			continue
		}
		leaves, err := k.Leaves(k.ctx, k.client, root.Name)
		if err != nil {
			k.errorf("leaves of %s: %v", root.Name, err)
		}
		for _, leaf := range leaves {
			k.checkLeaf(root.Name, leaf)
		}
		k.checkChildren(root.Name, leaves)
		if _, err := k.LookupName(k.ctx, k.client, root.Name+".no.such.name"); err == nil {
			k.errorf("a name below %s is known that cannot exist", root.Name)
		}
	}
}

func (k *kit) checkLeaf(root, leaf string) {
	if leaf != root && !strings.HasPrefix(leaf, root+".") {
		k.errorf("leaf %s does not stand below %s", leaf, root)
	}
	id, err := k.LookupName(k.ctx, k.client, leaf)
	if err != nil {
		k.errorf("%s: %v", leaf, err)
		return
	}
	names, err := k.NamesOf(k.ctx, k.client, id)
	if err != nil || !slices.Contains(names, leaf) {
		k.errorf("%s is %v, whose names are %q, error %v", leaf, id, names, err)
	}
}

// checkChildren checks that the children of a node lead to its leaves, and to nothing else.
func (k *kit) checkChildren(node string, leaves []string) {
	children, err := k.Children(k.ctx, k.client, node)
	if err != nil {
		k.errorf("children of %s: %v", node, err)
		return
	}
	var below []string
	for _, c := range children {
		name := node + "." + c.Name
		if c.Leaf {
			below = append(below, name)
			continue
		}
		inner, err := k.Leaves(k.ctx, k.client, name)
		if err != nil || len(inner) == 0 {
			k.errorf("%s is an inner node with the leaves %q, error %v", name, inner, err)
			continue
		}
		below = append(below, inner...)
		k.checkChildren(name, inner)
	}
	leaves = slices.DeleteFunc(slices.Clone(leaves), func(l string) bool { return l == node })
	slices.Sort(leaves)
	slices.Sort(below)
	if !slices.Equal(leaves, below) {
		k.errorf("the leaves of %s are %q, those of its children %q", node, leaves, below)
	}
}

func (k *kit) checkDescs() {
	seen := map[pcp.ID]bool{}
	for _, n := range k.names {
		if seen[n.ID] {
			continue
		}
		seen[n.ID] = true
		d, err := k.Desc(k.ctx, k.client, n.ID)
		if err != nil {
			k.errorf("%s: no description: %v", n.Name, err)
			continue
		}
		for _, f := range d.Check(nil) {
			if f.Bad {
				k.errorf("%s: %s", n.Name, f.Text)
			}
		}
		if d.InDom != pcp.NullInDom && d.InDom.Domain() != k.Domain() {
			k.errorf("%s: the instance domain %v is not one of the agent's", n.Name, d.InDom)
		}
	}
}

func (k *kit) checkInstances() {
	for _, d := range k.indoms {
		list, err := k.Instances(k.ctx, k.client, d)
		if err != nil {
			k.errorf("instances of %v: %v", d, err)
			continue
		}
		ids, words := map[int32]bool{}, map[string]bool{}
		for _, in := range list {
			word, _, _ := strings.Cut(in.Name, " ")
			switch {
			case in.ID < 0:
				k.errorf("instance %d of %v: the number is negative", in.ID, d)
			case word == "":
				k.errorf("instance %d of %v: the name %q begins with no word", in.ID, d, in.Name)
			case ids[in.ID] || words[word]:
				k.errorf("instance %d %q of %v: the number or the first word of the name occurs twice", in.ID, in.Name, d)
			}
			ids[in.ID], words[word] = true, true
			k.checkInstance(d, in)
		}
		for inst := int32(0); ; inst++ {
			if !ids[inst] {
				_, err := k.InstanceName(k.ctx, k.client, d, inst)
				k.wants("an instance that "+d.String()+" has not", err, pmerr.Inst)
				break
			}
		}
	}
}

// checkInstance checks the questions for one instance. It may be gone by then.
func (k *kit) checkInstance(d pcp.InDom, in pcp.Instance) {
	name, err := k.InstanceName(k.ctx, k.client, d, in.ID)
	inst, err2 := k.FindInstance(k.ctx, k.client, d, in.Name)
	if err == nil && err2 == nil && name == in.Name && inst == in.ID {
		return
	}
	if list, _ := k.Instances(k.ctx, k.client, d); slices.Contains(list, in) {
		k.errorf("instance %d %q of %v: by number it is %q, error %v; by name it is %d, error %v", in.ID, in.Name, d, name, err, inst, err2)
	}
}

func (k *kit) checkHelp() {
	for _, d := range k.descs {
		k.checkText(k.name(d.ID), func(kind pcp.TextKind) (string, error) { return k.Text(k.ctx, k.client, d.ID, kind) })
	}
	for _, d := range k.indoms {
		k.checkText("instance domain "+d.String(), func(kind pcp.TextKind) (string, error) { return k.InDomText(k.ctx, k.client, d, kind) })
	}
}

func (k *kit) checkText(what string, text func(pcp.TextKind) (string, error)) {
	line, err := text(pcp.OneLine)
	switch {
	case err != nil:
		k.errorf("%s: no one-line help text: %v", what, err)
	case strings.TrimSpace(line) == "" || strings.Contains(line, "\n"):
		k.errorf("%s: the one-line help text is %q", what, line)
	}
	if _, err := text(pcp.Help); err != nil {
		k.errorf("%s: no help text: %v", what, err)
	}
}

func (k *kit) checkLabels() {
	k.checkSets("the domain", pcp.DomainLabels, k.Domain())
	clusters := map[uint32]bool{}
	for _, d := range k.descs {
		cluster := uint32(pcp.NewID(k.Domain(), d.ID.Cluster(), 0))
		if !clusters[cluster] {
			k.checkSets("cluster "+pcp.ID(cluster).String(), pcp.ClusterLabels, cluster)
		}
		clusters[cluster] = true
		k.checkSets(k.name(d.ID), pcp.ItemLabels, uint32(d.ID))
	}
	for _, d := range k.indoms {
		k.checkSets("instance domain "+d.String(), pcp.InDomLabels, uint32(d))
		k.checkSets("the instances of "+d.String(), pcp.InstanceLabels, uint32(d))
	}
}

func (k *kit) checkSets(what string, kind pcp.LabelKind, ident uint32) {
	sets, err := k.Labels(k.ctx, k.client, kind, ident)
	if err != nil {
		k.errorf("labels of %s: %v", what, err)
		return
	}
	if kind != pcp.InstanceLabels && len(sets) > 1 {
		k.errorf("labels of %s: %d sets, want one or none", what, len(sets))
	}
	seen := map[int32]bool{}
	for _, s := range sets {
		if (kind == pcp.InstanceLabels) == (s.Inst == pcp.NullInst) || seen[s.Inst] {
			k.errorf("labels of %s: a set for instance %d", what, s.Inst)
		}
		seen[s.Inst] = true
		for _, l := range s.Labels {
			if _, err := pcp.ParseLabels(`{"`+l.Name+`":`+l.Value+`}`, 0); err != nil {
				k.errorf("labels of %s: %s=%s: %v", what, l.Name, l.Value, err)
			}
		}
	}
}
