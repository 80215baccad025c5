package dbpmda

import (
	"errors"
	"fmt"
	"strconv"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

func (s *Session) attr(l *line) error {
	code, err := l.attr()
	if err != nil {
		return err
	}
	value, err := l.want(text, end)
	if err != nil {
		return err
	}
	if ok, err := s.ready(l); !ok {
		return err
	}
	shown := value.text
	if value.kind == end {
		shown = "''"
	}
	fmt.Fprintf(s.Out, "Attribute: %s=%s\n", attrNames[code-1], shown)
	if err := s.agent.Send(&pdu.Attr{Code: code, Value: append([]byte(value.text), 0)}, 0); err != nil {
		return err
	}
	fmt.Fprintln(s.Out, "Success")
	return nil
}

func (s *Session) desc(l *line) error {
	id, err := s.metric(l)
	if err != nil {
		return err
	}
	if ok, err := s.ready(l); !ok {
		return err
	}
	fmt.Fprintf(s.Out, "PMID: %s\n", id)
	d, err := s.agent.Desc(s.ctx, client, id)
	if err != nil {
		return err
	}
	if d.Type == pcp.NoSupport {
		fmt.Fprintln(s.Out, "    Data Type: Not Supported")
		return nil
	}
	_, err = s.Out.Write(format.AppendDesc(nil, &d, false))
	return err
}

func (s *Session) instance(l *line) error {
	d, err := l.inDom()
	if err != nil {
		return err
	}
	one, err := l.want(number, word, text, end)
	if err != nil {
		return err
	}
	if ok, err := s.ready(l); !ok {
		return err
	}
	fmt.Fprintf(s.Out, "pmInDom: %s\n", d)
	req := &pdu.InstanceReq{InDom: d, Inst: pcp.NullInst, Name: one.text}
	if one.kind == number {
		n, err := strconv.ParseInt(one.text, 10, 32)
		if err != nil {
			return err
		}
		req.Inst, req.Name = int32(n), ""
	}
	var answer pdu.Instance
	if err := s.agent.Ask(s.ctx, 0, req, &answer); err != nil {
		return err
	}
	if len(answer.Instances) == 0 {
		fmt.Fprintln(s.Out, "Instance domain is empty")
	}
	for i, in := range answer.Instances {
		fmt.Fprintf(s.Out, "[%3d]", i)
		if one.kind != number {
			fmt.Fprintf(s.Out, " inst: %d", in.ID)
		}
		if one.kind == end || one.kind == number {
			fmt.Fprintf(s.Out, " name: \"%s\"", in.Name)
		}
		fmt.Fprintln(s.Out)
	}
	return nil
}

func (s *Session) label(l *line) error {
	level, err := l.oneOf("context", "domain", "indom", "cluster", "item", "instances")
	if err != nil {
		return err
	}
	var ident uint32
	var title string
	kind := map[string]pcp.LabelKind{"context": pcp.ContextLabels, "domain": pcp.DomainLabels, "indom": pcp.InDomLabels,
		"cluster": pcp.ClusterLabels, "item": pcp.ItemLabels, "instances": pcp.InstanceLabels}[level]
	switch kind {
	case pcp.ContextLabels:
		ident = pdu.NullIdent
	case pcp.DomainLabels:
	case pcp.InDomLabels, pcp.InstanceLabels:
		var d pcp.InDom
		d, err = l.inDom()
		ident, title = uint32(d), fmt.Sprintf("pmInDom: %s\n", d)
		if kind == pcp.InstanceLabels {
			title = "Instances of " + title
		}
	case pcp.ClusterLabels:
		var t token
		t, err = l.want(two)
		_, domain, cluster := t.fields()
		id := pcp.NewID(domain, cluster, 0)
		ident, title = uint32(id), fmt.Sprintf("Cluster: %d.%d\n", id.Domain(), id.Cluster())
	case pcp.ItemLabels:
		var id pcp.ID
		id, err = s.metric(l)
		ident, title = uint32(id), fmt.Sprintf("PMID: %s\n", id)
	}
	if err != nil {
		return err
	}
	if ok, err := s.ready(l); !ok {
		return err
	}
	fmt.Fprint(s.Out, title)
	if kind == pcp.InstanceLabels {
		if err := s.sendProfile(); err != nil {
			return err
		}
	}
	return s.labels(kind, ident)
}

func (s *Session) labels(kind pcp.LabelKind, ident uint32) error {
	sets, err := s.agent.Labels(s.ctx, client, kind, ident)
	if err != nil {
		return err
	}
	if len(sets) == 0 {
		fmt.Fprintln(s.Out, "Info: __pmDecodeLabel() returns 0 label sets")
	}
	for i, set := range sets {
		if kind == pcp.InstanceLabels && set.Inst != pcp.NullInst {
			fmt.Fprintf(s.Out, "[%3d] Labels inst: %d\n", i, set.Inst)
		} else {
			fmt.Fprintln(s.Out, "Labels:")
		}
		for _, label := range set.Labels {
			fmt.Fprintf(s.Out, "    %s=%s\n", label.Name, label.Value)
		}
	}
	return nil
}

func (s *Session) text(l *line) error {
	var ask func(kind pcp.TextKind) (string, error)
	var title string
	if t, err := l.peek(); err == nil && t.kind == word && t.text == "indom" {
		_, _ = l.next()
		d, err := l.inDom()
		if err != nil {
			return err
		}
		title = fmt.Sprintf("pmInDom: %s\n", d)
		ask = func(kind pcp.TextKind) (string, error) { return s.agent.InDomText(s.ctx, client, d, kind) }
	} else {
		id, err := s.metric(l)
		if err != nil {
			return err
		}
		title = fmt.Sprintf("PMID: %s\n", id)
		ask = func(kind pcp.TextKind) (string, error) { return s.agent.Text(s.ctx, client, id, kind) }
	}
	if ok, err := s.ready(l); !ok {
		return err
	}
	fmt.Fprint(s.Out, title)
	oneLine, err := ask(pcp.OneLine)
	if err != nil {
		s.refused(err)
	} else {
		fmt.Fprintf(s.Out, "[%s]\n", oneLine)
	}
	long, err2 := ask(pcp.Help)
	if err2 == nil {
		fmt.Fprintln(s.Out, long)
	}
	return err2
}

func (s *Session) name(l *line) error {
	t, err := l.want(three)
	if err != nil {
		return err
	}
	if ok, err := s.ready(l); !ok {
		return err
	}
	id := pcp.NewID(t.fields())
	fmt.Fprintf(s.Out, "PMID: %s\n", id)
	names, err := s.agent.NamesOf(s.ctx, client, id)
	s.lines(names)
	return err
}

func (s *Session) lines(names []string) {
	for _, n := range names {
		fmt.Fprintf(s.Out, "   %s\n", n)
	}
}

func (s *Session) node(l *line) (name string, ok bool, err error) {
	t, err := l.want(word)
	if err != nil {
		return "", false, err
	}
	if ok, err := s.ready(l); !ok {
		return "", false, err
	}
	fmt.Fprintf(s.Out, "Metric: %s\n", t.text)
	return t.text, true, nil
}

func (s *Session) pmid(l *line) error {
	name, ok, err := s.node(l)
	if !ok {
		return err
	}
	id, err := s.agent.LookupName(s.ctx, client, name)
	if err == nil {
		s.lines([]string{id.String()})
	}
	return err
}

func (s *Session) children(l *line) error {
	name, ok, err := s.node(l)
	if !ok {
		return err
	}
	list, err := s.agent.Children(s.ctx, client, name)
	for _, c := range list {
		kind := "non-leaf"
		if c.Leaf {
			kind = "leaf"
		}
		fmt.Fprintf(s.Out, "%11s %s\n", kind, c.Name)
	}
	return err
}

func (s *Session) traverse(l *line) error {
	name, ok, err := s.node(l)
	if !ok {
		return err
	}
	names, err := s.agent.Leaves(s.ctx, client, name)
	s.lines(names)
	return err
}

func (s *Session) store(l *line) error {
	id, err := s.metric(l)
	if err != nil {
		return err
	}
	value, err := l.want(text)
	if err != nil {
		return err
	}
	if ok, err := s.ready(l); !ok {
		return err
	}
	fmt.Fprintf(s.Out, "PMID: %s\nGetting description...\n", id)
	d, err := s.agent.Desc(s.ctx, client, id)
	if err != nil {
		return err
	}
	if s.fresh {
		fmt.Fprintln(s.Out, "Sending Profile...")
	}
	fmt.Fprintln(s.Out, "Getting Result Structure...")
	var r pcp.Result
	if _, err := s.values([]pcp.ID{id}, func(pcp.ID) pcp.Type { return d.Type }, &r); err != nil {
		return err
	}
	v := &r.Sets[0]
	if err := s.change(v, d.Type, value.text); err != nil {
		return err
	}
	fmt.Fprintln(s.Out, "Sending Result...")
	return s.agent.Store(s.ctx, client, r.Sets)
}

func (s *Session) change(v *pcp.Values, t pcp.Type, to string) error {
	if !t.Arithmetic() && t != pcp.String {
		names := map[pcp.Type]string{pcp.Aggregate: "AGGREGATE", pcp.Event: "EVENT", pcp.HighResEvent: "HIGHRES_EVENT", pcp.NoSupport: "NO_SUPPORT"}
		return fmt.Errorf("dbpmda does not support storing into %s metrics", names[t])
	}
	next, err := pcp.ParseValue(t, to)
	if errors.Is(err, pmerr.Type) {
		return fmt.Errorf("Value \"%s\" is incompatible with metric type (PM_TYPE_%s)", to, t)
	}
	if err != nil {
		return fmt.Errorf("Decoding value: %w", err)
	}
	switch {
	case v.Err != nil:
		return fmt.Errorf("%s: %w", v.ID, v.Err)
	case v.Len() == 0:
		return fmt.Errorf("%s not available!", v.ID)
	}
	for i := range v.Insts {
		place := v.ID.String()
		if v.Len() > 1 {
			place += fmt.Sprintf(" [%d]", i)
		}
		fmt.Fprintf(s.Out, "%s: %s -> ", place, s.valueText(v, i))
		if v.Odd != nil {
			v.Odd[i] = pcp.Odd{}
		}
		if t == pcp.String {
			v.Blobs[i] = next.Bytes()
		} else {
			v.Words[i] = next.Word()
		}
		fmt.Fprintln(s.Out, s.valueText(v, i))
	}
	return nil
}
