package sample

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// A talker is a dialogue with an agent, from where the daemon would be: with our collector, the reference's agent, or recorded answers of that
// agent.
type talker struct {
	w    io.Writer
	r    *pdu.Reader
	from int32 // number of the client
}

// open begins a dialogue.
func open(w io.Writer, r io.Reader) (*talker, error) {
	t := &talker{w, pdu.NewReader(r), 1}
	if _, err := t.r.Next(); err != nil {
		return nil, err
	}
	return t, t.send(&pdu.Creds{Version: 2})
}

func (t *talker) send(m pdu.Message) error {
	b, err := m.Encode(nil)
	if err != nil {
		return err
	}
	pdu.SetFrom(b, t.from)
	_, err = t.w.Write(b)
	return err
}

// do carries out a line, and returns the answer as text. A line is a word and numbers, which are
// items, serial numbers of instance domains, instances or values:
//
//	fetch ITEM...           desc ITEM               names ITEM
//	insts SERIAL            inst SERIAL INSTANCE    find SERIAL NAME
//	profile SERIAL INST...  only these instances; serial 0 stands for no profile
//	child NAME              leaves NAME             name NAME
//	label LEVEL IDENTIFIER
//	store ITEM TYPE VALUE, or INST=VALUE...
//	client NUMBER           speaks from now on
//	end                     of the client
func (t *talker) do(line string) (string, error) {
	if number, ok := strings.CutPrefix(line, "client "); ok {
		n, err := strconv.ParseInt(number, 10, 32)
		t.from = int32(n)
		return "", err
	}
	m, err := message(strings.Fields(line))
	if err != nil {
		return "", fmt.Errorf("%s: %w", line, err)
	}
	if err := t.send(m); err != nil || m.Type() == pdu.TypeProfile || m.Type() == pdu.TypeError {
		return "", err
	}
	f, err := t.r.Next()
	if err != nil {
		return "", err
	}
	return say(f)
}

func message(words []string) (pdu.Message, error) {
	var bad error
	number := func(i int) int64 {
		if i >= len(words) {
			bad = fmt.Errorf("too short")
			return 0
		}
		n, err := strconv.ParseInt(words[i], 10, 64)
		if err != nil {
			bad = err
		}
		return n
	}
	id := func(i int) pcp.ID { return pcp.NewID(29, 0, uint32(number(i))) }
	dom := func(i int) pcp.InDom { return pcp.NewInDom(29, uint32(number(i))) }
	var m pdu.Message
	switch words[0] {
	case "fetch":
		f := &pdu.Fetch{Slot: 1}
		for i := range words[1:] {
			f.IDs = append(f.IDs, id(i+1))
		}
		m = f
	case "desc":
		m = &pdu.DescReq{ID: id(1)}
	case "insts":
		m = &pdu.InstanceReq{InDom: dom(1), Inst: pcp.NullInst}
	case "inst":
		m = &pdu.InstanceReq{InDom: dom(1), Inst: int32(number(2))}
	case "find":
		m = &pdu.InstanceReq{InDom: dom(1), Inst: pcp.NullInst, Name: strings.Join(words[2:], " ")}
	case "profile":
		e := pcp.ProfileEntry{InDom: dom(1), Exclude: true}
		for i := range words[2:] {
			e.Insts = append(e.Insts, int32(number(i+2)))
		}
		p := &pdu.Profile{Slot: 1}
		if number(1) != 0 {
			p.Entries = []pcp.ProfileEntry{e}
		}
		m = p
	case "end":
		m = &pdu.Error{Code: pmerr.NotConn}
	case "child":
		m = &pdu.Child{Name: words[1], Status: true}
	case "leaves":
		m = &pdu.Traverse{Name: words[1]}
	case "name":
		m = &pdu.Names{Names: words[1:2]}
	case "names":
		m = &pdu.IDs{IDs: []pcp.ID{id(1)}}
	case "label":
		m = &pdu.LabelReq{Kind: pcp.LabelKind(number(1)), Ident: uint32(number(2))}
	case "store":
		return storeOf(words, id(1))
	default:
		return nil, fmt.Errorf("no such request")
	}
	return m, bad
}

func storeOf(words []string, id pcp.ID) (pdu.Message, error) {
	types := map[string]pcp.Type{
		"32": pcp.Int32, "u32": pcp.Uint32, "64": pcp.Int64, "u64": pcp.Uint64, "float": pcp.Float, "double": pcp.Double,
		"string": pcp.String, "aggr": pcp.Aggregate,
	}
	t, ok := types[words[2]]
	if !ok {
		return nil, fmt.Errorf("no such type")
	}
	v := pcp.Values{ID: id, Type: t}
	for _, w := range words[3:] {
		inst, text, ok := strings.Cut(w, "=")
		if !ok {
			inst, text = "-1", w
		}
		n, err := strconv.Atoi(inst)
		if err != nil {
			return nil, err
		}
		v.Insts = append(v.Insts, int32(n))
		if !t.Arithmetic() {
			v.Blobs = append(v.Blobs, []byte(text))
			continue
		}
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, err
		}
		switch t {
		case pcp.Float:
			v.Words = append(v.Words, pcp.FloatValue(float32(f)).Word())
		case pcp.Double:
			v.Words = append(v.Words, pcp.DoubleValue(f).Word())
		case pcp.Uint32:
			v.Words = append(v.Words, uint64(uint32(int64(f))))
		default:
			v.Words = append(v.Words, uint64(int64(f)))
		}
	}
	return &pdu.Result{Values: &pcp.Result{Sets: []pcp.Values{v}}}, nil
}

// unsteady are items whose values depend on the clock or the process: only numbers are compared.
var unsteady = [...]uint32{1, 3, 39, 91, 158}

func say(f pdu.Frame) (string, error) {
	if f.Type == pdu.TypeResult {
		return sayResult(f.Body)
	}
	body := slices.Clone(f.Body)
	switch f.Type {
	case pdu.TypeIDs, pdu.TypeLabel:
		clear(body[:4]) // a status that the daemon does not look at, and an identifier that it knows
	}
	return fmt.Sprintf("%v %x %s", f.Type, body, strings.Map(func(r rune) rune {
		if r < '!' || r > '~' {
			return '.'
		}
		return r
	}, string(body))), nil
}

func sayResult(body []byte) (string, error) {
	m := pdu.Result{Values: new(pcp.Result)}
	if err := m.Decode(body); err != nil {
		return "", err
	}
	var b bytes.Buffer
	if m.Values.Time.Sec != 0 {
		fmt.Fprintf(&b, "changes %d ", m.Values.Time.Sec)
	}
	for i := range m.Values.Sets {
		v := &m.Values.Sets[i]
		if i > 0 {
			b.WriteString(" | ")
		}
		fmt.Fprint(&b, v.ID)
		if v.Err != nil {
			fmt.Fprintf(&b, " error %d", pmerr.Of(v.Err))
		}
		if v.Type != pcp.Int32 && v.Type != pcp.Unknown {
			fmt.Fprintf(&b, " %v", v.Type)
		}
		for j, inst := range v.Insts {
			switch {
			case slices.Contains(unsteady[:], v.ID.Item()):
				fmt.Fprintf(&b, " %d", inst)
			case v.Type == pcp.Event || v.Type == pcp.HighResEvent:
				fmt.Fprintf(&b, " %d=%s", inst, sayEvents(v.Value(j)))
			case v.Odd != nil:
				fmt.Fprintf(&b, " %d=%+v", inst, v.Odd[j])
			case j < len(v.Blobs):
				fmt.Fprintf(&b, " %d=%q", inst, v.Blobs[j])
			default:
				fmt.Fprintf(&b, " %d=%s", inst, sayWord(v.Value(j)))
			}
		}
	}
	return b.String(), nil
}

func sayWord(v pcp.Value) string {
	switch v.Type() {
	case pcp.Float, pcp.Double:
		return fmt.Sprintf("%x", v.Word())
	case pcp.Uint64:
		return strconv.FormatUint(v.Word(), 10)
	}
	return strconv.FormatInt(int64(v.Word()), 10)
}

// sayEvents returns event records as text, their times relative to the first.
func sayEvents(v pcp.Value) string {
	records, err := pcp.UnpackEvents(v)
	if err != nil {
		return err.Error()
	}
	var b bytes.Buffer
	for _, r := range records {
		fmt.Fprintf(&b, "[%.0f %v %d", r.Time.Sub(records[0].Time), r.Flags, r.Missed)
		for _, p := range r.Params {
			fmt.Fprintf(&b, " %v %v %x %q", p.ID, p.Value.Type(), p.Value.Word(), p.Value.Bytes())
		}
		b.WriteString("]")
	}
	return b.String()
}
