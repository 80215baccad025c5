package source

import (
	"context"
	"strings"
	"time"

	"pmtools/derive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
)

// patience is how long the shell waits for names.
const patience = 2 * time.Second

// Complete proposes the names of metrics that begin with a prefix, one component further. Any error
// proposes none.
func (o *Opener) Complete(ctx context.Context, prefix string) []string {
	var names []string
	o.ask(ctx, func(ctx context.Context, src *derive.Source) {
		node := prefix[:max(strings.LastIndexByte(prefix, '.'), 0)]
		children, _ := src.Children(ctx, node) // none with an error
		for _, c := range children {
			name := c.Name
			if node != "" {
				name = node + "." + name
			}
			if !c.Leaf {
				name += "."
			}
			if strings.HasPrefix(name, prefix) {
				names = append(names, name)
			}
		}
	})
	return names
}

// ask calls f with the source, unless it cannot be opened.
func (o *Opener) ask(ctx context.Context, f func(context.Context, *derive.Source)) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if src, err := o.OpenPlain(ctx); err == nil {
		all := o.Derive(src)
		defer all.Close()
		f(ctx, all)
	}
}

// CompleteValue proposes values of an option that begin with a prefix: archives, hosts, and the instances
// of the metrics among the operands. It reports whether it knows the option.
func (o *Opener) CompleteValue(ctx context.Context, option string, operands []string, prefix string) (values []string, known bool) {
	switch option {
	case "archive", "nointerp":
		if o.archives == nil {
			return nil, false
		}
		return InList(prefix, o.archives), true
	case "host":
		return nil, true
	case "instances", "insts":
		return InList(prefix, func(string) []string { return o.instances(ctx, operands) }), true
	}
	return nil, false
}

// InList proposes lists of names with commas between them: list returns the names that the last of a
// prefix may become.
func InList(prefix string, list func(last string) []string) (texts []string) {
	last := strings.LastIndexByte(prefix, ',') + 1
	for _, name := range list(prefix[last:]) {
		if strings.HasPrefix(name, prefix[last:]) && !strings.Contains(name, ",") {
			texts = append(texts, prefix[:last]+name)
		}
	}
	return texts
}

// instances returns the names of the instances of metrics, up to the first blank.
func (o *Opener) instances(ctx context.Context, metrics []string) (names []string) {
	o.ask(ctx, func(ctx context.Context, src *derive.Source) {
		for _, name := range metrics {
			list, _ := instancesOf(ctx, src, name) // none with an error
			names = append(names, FirstWords(list)...)
		}
	})
	return names
}

// instancesOf returns the instances of a metric, of an archive all that it ever had.
func instancesOf(ctx context.Context, src pmapi.Source, name string) ([]pcp.Instance, error) {
	id, err := pmapi.LookupName(ctx, src, name)
	if err != nil {
		return nil, err
	}
	d, err := pmapi.LookupDesc(ctx, src, id)
	if err != nil || d.InDom == pcp.NullInDom {
		return nil, err
	}
	return pmapi.InstancesOf(ctx, src, d.InDom, pmapi.Ever())
}

// FirstWords returns the names of instances up to the first blank, which select them.
func FirstWords(list []pcp.Instance) []string {
	names := make([]string, len(list))
	for i, in := range list {
		names[i], _, _ = strings.Cut(in.Name, " ")
	}
	return names
}
