package dbpmda

import (
	"errors"
	"fmt"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

func (s *Session) attr(words []word) error {
	code, err := words[0].attr()
	if err != nil {
		return err
	}
	value, shown := "", "''"
	if len(words) > 1 {
		value, shown = words[1].text, words[1].text
	}
	fmt.Fprintf(s.Out, "Attribute: %s=%s\n", attrNames[code-1], shown)
	if err := s.agent.Send(&pdu.Attr{Code: code, Value: append([]byte(value), 0)}, 0); err != nil {
		return err
	}
	fmt.Fprintln(s.Out, "Success")
	return nil
}

func (s *Session) desc(words []word) error {
	id, err := s.metric(words[0])
	if err != nil {
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

func (s *Session) instance(words []word) error {
	d, err := words[0].inDom()
	if err != nil {
		return err
	}
	req := &pdu.InstanceReq{InDom: d, Inst: pcp.NullInst}
	var byID, byName bool
	if len(words) > 1 {
		n, err := words[1].number()
		if byID, byName = err == nil, err != nil; byID {
			req.Inst = int32(n)
		} else {
			req.Name = words[1].text
		}
	}
	fmt.Fprintf(s.Out, "pmInDom: %s\n", d)
	var answer pdu.Instance
	if err := s.agent.Ask(s.ctx, 0, req, &answer); err != nil {
		return err
	}
	if len(answer.Instances) == 0 {
		fmt.Fprintln(s.Out, "Instance domain is empty")
	}
	for i, in := range answer.Instances {
		fmt.Fprintf(s.Out, "[%3d]", i)
		if !byID {
			fmt.Fprintf(s.Out, " inst: %d", in.ID)
		}
		if !byName {
			fmt.Fprintf(s.Out, " name: \"%s\"", in.Name)
		}
		fmt.Fprintln(s.Out)
	}
	return nil
}

func (s *Session) label(words []word) error {
	level, of := words[0].text, words[1:]
	wanted := 1
	if level == "context" || level == "domain" {
		wanted = 0
	}
	if len(of) != wanted {
		return errSyntax
	}
	switch level {
	case "context":
		return s.labels(pcp.ContextLabels, pdu.NullIdent)
	case "domain":
		return s.labels(pcp.DomainLabels, 0)
	case "indom", "instances":
		d, err := of[0].inDom()
		if err != nil {
			return err
		}
		if level == "indom" {
			fmt.Fprintf(s.Out, "pmInDom: %s\n", d)
			return s.labels(pcp.InDomLabels, uint32(d))
		}
		fmt.Fprintf(s.Out, "Instances of pmInDom: %s\n", d)
		if err := s.sendProfile(); err != nil {
			return err
		}
		return s.labels(pcp.InstanceLabels, uint32(d))
	case "cluster":
		list, _ := of[0].numbers()
		if len(list) != 2 {
			return errSyntax
		}
		id := pcp.NewID(list[0], list[1], 0)
		fmt.Fprintf(s.Out, "Cluster: %d.%d\n", id.Domain(), id.Cluster())
		return s.labels(pcp.ClusterLabels, uint32(id))
	case "item":
		id, err := s.metric(of[0])
		if err != nil {
			return err
		}
		fmt.Fprintf(s.Out, "PMID: %s\n", id)
		return s.labels(pcp.ItemLabels, uint32(id))
	}
	return errSyntax
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

func (s *Session) text(words []word) error {
	var ask func(kind pcp.TextKind) (string, error)
	if len(words) == 2 {
		d, err := words[1].inDom()
		if err != nil || words[0].text != "indom" {
			return errSyntax
		}
		fmt.Fprintf(s.Out, "pmInDom: %s\n", d)
		ask = func(kind pcp.TextKind) (string, error) { return s.agent.InDomText(s.ctx, client, d, kind) }
	} else {
		id, err := s.metric(words[0])
		if err != nil {
			return err
		}
		fmt.Fprintf(s.Out, "PMID: %s\n", id)
		ask = func(kind pcp.TextKind) (string, error) { return s.agent.Text(s.ctx, client, id, kind) }
	}
	oneLine, err := ask(pcp.OneLine)
	if err != nil {
		s.refused(err)
	} else {
		fmt.Fprintf(s.Out, "[%s]\n", oneLine)
	}
	long, err := ask(pcp.Help)
	if err == nil {
		fmt.Fprintln(s.Out, long)
	}
	return err
}

func (s *Session) name(words []word) error {
	list, _ := words[0].numbers()
	if len(list) != 3 {
		return errSyntax
	}
	id := pcp.NewID(list[0], list[1], list[2])
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

func (s *Session) pmid(words []word) error {
	fmt.Fprintf(s.Out, "Metric: %s\n", words[0].text)
	id, err := s.agent.LookupName(s.ctx, client, words[0].text)
	if err == nil {
		s.lines([]string{id.String()})
	}
	return err
}

func (s *Session) children(words []word) error {
	fmt.Fprintf(s.Out, "Metric: %s\n", words[0].text)
	list, err := s.agent.Children(s.ctx, client, words[0].text)
	for _, c := range list {
		kind := "non-leaf"
		if c.Leaf {
			kind = "leaf"
		}
		fmt.Fprintf(s.Out, "%11s %s\n", kind, c.Name)
	}
	return err
}

func (s *Session) traverse(words []word) error {
	fmt.Fprintf(s.Out, "Metric: %s\n", words[0].text)
	names, err := s.agent.Leaves(s.ctx, client, words[0].text)
	s.lines(names)
	return err
}

func (s *Session) store(words []word) error {
	id, err := s.metric(words[0])
	if err != nil {
		return err
	}
	if !words[1].quoted {
		return errSyntax
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
	if err := s.change(v, d.Type, words[1].text); err != nil {
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
