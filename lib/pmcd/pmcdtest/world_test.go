package pmcdtest

import (
	"fmt"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmerr"
)

// textOf returns the content of a message as text.
func textOf(m pdu.Message) string {
	switch m := m.(type) {
	case *pdu.Error:
		return fmt.Sprint("error ", int32(m.Code))
	case *pdu.Result:
		return sets(m.Values)
	case *pdu.HighResResult:
		return sets(m.Values)
	case *pdu.IDs:
		return fmt.Sprint(m.Status, m.IDs)
	case *pdu.Names:
		return fmt.Sprint(m.Names, m.Status)
	case *pdu.Instance:
		return fmt.Sprint(m.Instances)
	case *pdu.Text:
		return m.Text
	case *pdu.Descs:
		return fmt.Sprint(len(m.Descs), " first ", m.Descs[0].ID, " last ", m.Descs[len(m.Descs)-1].ID)
	case *pdu.Desc:
		return m.Desc.ID.String()
	case *pdu.Label:
		return fmt.Sprint(m.Ident, m.Kind, len(m.Sets))
	}
	return fmt.Sprintf("%T", m)
}

// sets returns the values of a result.
func sets(r *pcp.Result) (text string) {
	for _, v := range r.Sets {
		text += fmt.Sprintf("%v:%v ", int32(pmerr.Of(v.Err)), v.Words)
	}
	return text
}

// TestWorld makes requests of every kind.
func TestWorld(t *testing.T) {
	bin, write, none := pcp.NewID(29, 0, 6), pcp.NewID(29, 0, 36), pcp.NewID(29, 9, 9)
	store := func(id pcp.ID, inst int32) pdu.Message {
		return &pdu.Result{Values: &pcp.Result{Sets: []pcp.Values{{ID: id, Type: pcp.Int32, Insts: []int32{inst}, Words: []uint64{9}}}}}
	}
	only := func(exclude bool, insts ...int32) pdu.Message {
		return &pdu.Profile{Entries: []pcp.ProfileEntry{{InDom: BinInDom, Exclude: exclude, Insts: insts}}}
	}
	s := NewServer(Sample())
	defer s.Close()
	c := greeted(t, s)
	for _, row := range []struct {
		send []pdu.Message
		want string
	}{
		{[]pdu.Message{&pdu.Fetch{IDs: []pcp.ID{bin}}}, "error -12381"},
		{[]pdu.Message{&pdu.Profile{}, &pdu.Fetch{IDs: []pcp.ID{bin, none}}}, "0:[100 200 300] -12386:[] "},
		{[]pdu.Message{&pdu.Fetch{Slot: 1, IDs: []pcp.ID{bin}}}, "error -12381"},
		{[]pdu.Message{only(true, 300, 7), &pdu.HighResFetch{IDs: []pcp.ID{bin}}}, "0:[300] "},
		{[]pdu.Message{only(false, 300), &pdu.HighResFetch{IDs: []pcp.ID{bin}}}, "0:[100 200] "},
		{[]pdu.Message{&pdu.Profile{Exclude: true}, &pdu.HighResFetch{IDs: []pcp.ID{bin, write}}}, "0:[] 0:[2] "},
		{[]pdu.Message{store(write, -1)}, "error 0"},
		{[]pdu.Message{&pdu.HighResFetch{IDs: []pcp.ID{write}}}, "0:[9] "},
		{[]pdu.Message{store(write, 5)}, "error -12360"},
		{[]pdu.Message{store(none, -1)}, "error -12386"},
		{[]pdu.Message{store(pcp.NewID(29, 0, 10), -1)}, "error -12387"},
		{[]pdu.Message{store(pcp.NewID(29, 0, 32), -1)}, "error -12400"},
		{[]pdu.Message{&pdu.DescReq{ID: bin}}, "29.0.6"},
		{[]pdu.Message{&pdu.DescReq{ID: none}}, "error -12358"},
		{[]pdu.Message{&pdu.DescIDs{IDs: []pcp.ID{none}}}, "error -12358"},
		{[]pdu.Message{&pdu.DescIDs{IDs: []pcp.ID{bin, none}}}, "2 first 29.0.6 last PM_ID_NULL"},
		{[]pdu.Message{&pdu.InstanceReq{InDom: BinInDom, Inst: -1}}, "[{100 bin-100} {200 bin-200} {300 bin-300}]"},
		{[]pdu.Message{&pdu.InstanceReq{InDom: ColorInDom, Inst: -1, Name: "green"}}, "[{1 }]"},
		{[]pdu.Message{&pdu.InstanceReq{InDom: ColorInDom, Inst: 1}}, "[{-1 green light}]"},
		{[]pdu.Message{&pdu.InstanceReq{InDom: ColorInDom, Inst: 9}}, "error -12360"},
		{[]pdu.Message{&pdu.InstanceReq{InDom: ColorInDom, Inst: -1, Name: "x"}}, "error -12360"},
		{[]pdu.Message{&pdu.InstanceReq{InDom: 1, Inst: -1}}, "error -12359"},
		{[]pdu.Message{&pdu.TextReq{Ident: uint32(bin), Kind: pcp.OneLine}}, "Several constant instances"},
		{[]pdu.Message{&pdu.TextReq{Ident: uint32(bin), Kind: pcp.Help}}, ""},
		{[]pdu.Message{&pdu.TextReq{Ident: uint32(write), Kind: pcp.OneLine}}, "error -12349"},
		{[]pdu.Message{&pdu.TextReq{Ident: uint32(none), Kind: pcp.Help}}, "error -12358"},
		{[]pdu.Message{&pdu.TextReq{Ident: uint32(BinInDom), InDom: true, Kind: pcp.Help}}, "all the bins"},
		{[]pdu.Message{&pdu.TextReq{Ident: 1, InDom: true, Kind: pcp.Help}}, "error -12359"},
		{[]pdu.Message{&pdu.LabelReq{Ident: 29, Kind: pcp.DomainLabels}}, "29 2 1"},
		{[]pdu.Message{&pdu.LabelReq{Ident: 29, Kind: 3}}, "error -12397"},
		{[]pdu.Message{&pdu.LabelReq{Ident: uint32(none), Kind: pcp.ItemLabels}}, "error -12358"},
		{[]pdu.Message{&pdu.LabelReq{Ident: 1, Kind: pcp.InstanceLabels}}, "error -12359"},
		{[]pdu.Message{&pdu.Names{Names: []string{"sample.bin"}}}, "1 [29.0.6]"},
		{[]pdu.Message{&pdu.Names{Names: []string{"sample.bin", "x"}}}, "1 [29.0.6 PM_ID_NULL]"},
		{[]pdu.Message{&pdu.Names{Names: []string{"sample.long"}}}, "error -12394"},
		{[]pdu.Message{&pdu.Names{Names: []string{""}}}, "error -12366"},
		{[]pdu.Message{&pdu.Names{}}, "error -12443"},
		{[]pdu.Message{&pdu.IDs{IDs: []pcp.ID{bin}}}, "[sample.bin] []"},
		{[]pdu.Message{&pdu.IDs{IDs: []pcp.ID{none}}}, "error -12358"},
		{[]pdu.Message{&pdu.IDs{}}, "error -12366"},
		{[]pdu.Message{&pdu.Child{Name: "sample.long", Status: true}}, "[one write_me] [0 0]"},
		{[]pdu.Message{&pdu.Child{}}, "[sample] []"},
		{[]pdu.Message{&pdu.Child{Name: "sample.bin"}}, "[] []"},
		{[]pdu.Message{&pdu.Child{Name: "x"}}, "error -12357"},
		{[]pdu.Message{&pdu.Traverse{Name: "sample.long"}}, "[sample.long.one sample.long.write_me] []"},
		{[]pdu.Message{&pdu.Traverse{Name: "x"}}, "error -12357"},
		{[]pdu.Message{&pdu.Error{}}, "error -12366"},
		{[]pdu.Message{&pdu.Attr{Code: pdu.AttrContainer, Value: []byte("x")}, &pdu.DescReq{ID: bin}}, "29.0.6"},
	} {
		c.send(row.send...)
		if got := textOf(c.recv()); got != row.want {
			t.Errorf("%+v: got %s, want %s", row.send[len(row.send)-1], got, row.want)
		}
	}
	if w := s.handler.(*World); w.Stores() != 5 {
		t.Errorf("%d stores", w.Stores())
	}
}

func TestNotify(t *testing.T) {
	w := Sample()
	s := NewServer(w)
	defer s.Close()
	c := greeted(t, s)
	w.Notify(pcp.LabelsChanged, pcp.AgentAdded)
	c.send(&pdu.Profile{}, &pdu.Fetch{IDs: []pcp.ID{1}}, &pdu.Fetch{IDs: []pcp.ID{1}})
	if a, b, d, e := c.code(), c.code(), c.code(), c.code(); a != 8 || b != 1 {
		t.Error(a, b, d, e)
	} else if d != 1 || e != 1 {
		t.Error(a, b, d, e)
	}
}

func TestDeny(t *testing.T) {
	w := Sample()
	w.Deny = true
	s := NewServer(w)
	defer s.Close()
	c := greeted(t, s)
	c.send(&pdu.Profile{}, &pdu.Fetch{IDs: []pcp.ID{1}})
	if a, b := c.code(), c.code(); a != pmerr.Permission || b != pmerr.Permission {
		t.Error(a, b)
	}
}
