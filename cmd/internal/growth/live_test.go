package growth

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pmtools/lib/fetchgroup"
	"pmtools/lib/mmv"
	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/pmns"
)

// liveOperations are those on metrics that are not recorded.
func liveOperations() []operation {
	return []operation{
		{"names of a daemon", "metrics", steps, func(t *testing.T, n int) func() {
			h := daemon(t, n)
			return func() { must(h.Walk(ctx, "", false, func(string, pcp.ID) bool { return true })) }
		}},
		{"names and numbers of a daemon", "metrics", steps, func(t *testing.T, n int) func() {
			h := daemon(t, n)
			return func() { must(h.Walk(ctx, "", true, func(string, pcp.ID) bool { return true })) }
		}},
		{"describe all metrics of a daemon", "metrics", steps, func(t *testing.T, n int) func() {
			s := server(t, n)
			return func() {
				h := connect(t, s)
				must2(h.Describe(ctx, ids(n)))
				must(h.Close())
			}
		}},
		{"fetch all metrics of a daemon", "metrics", steps, func(t *testing.T, n int) func() {
			h := daemon(t, n)
			var res pcp.Result
			return func() { must(h.Fetch(ctx, &pmapi.Request{IDs: ids(n)}, &res)) }
		}},
		{"help texts of a daemon", "metrics", steps, func(t *testing.T, n int) func() {
			h := daemon(t, n)
			return func() { must2(h.Text(ctx, pcp.OneLine, pcp.Idents(ids(n)))) }
		}},
		{"labels of a daemon", "metrics", steps, func(t *testing.T, n int) func() {
			h := daemon(t, n)
			idents := make([]uint32, n)
			for i := range idents {
				idents[i] = uint32(id(i))
			}
			return func() { must2(h.Labels(ctx, pcp.ItemLabels, idents, pmapi.Now())) }
		}},
		{"connect a fleet and read it twice", "hosts", []int{10, 100, 1000}, fleet},
		{"read a file of mapped values", "values", steps, mapped},
		{"load a name space", "names", steps, func(t *testing.T, n int) func() {
			text := nameSpace(n)
			return func() { must2(pmns.Parse("names", text, nil)) }
		}},
	}
}

// A world answers like a daemon with n metrics, each question in proportion to itself.
type world struct{ n int }

// Handle implements pmcdtest.Handler.
func (w world) Handle(_ *pmcdtest.Session, f pdu.Frame) []pdu.Message {
	switch f.Type {
	case pdu.TypeTraverse:
		m := new(pdu.Names)
		for i := range w.n {
			m.Names = append(m.Names, name(i))
		}
		return []pdu.Message{m}
	case pdu.TypeNames:
		var asked pdu.Names
		must(asked.Decode(f.Body))
		m := &pdu.IDs{Status: int32(len(asked.Names))}
		for _, text := range asked.Names {
			var i int
			must2(fmt.Sscan(text[strings.LastIndex(text, "metric")+len("metric"):], &i))
			m.IDs = append(m.IDs, id(i))
		}
		return []pdu.Message{m}
	case pdu.TypeDescIDs:
		var asked pdu.DescIDs
		must(asked.Decode(f.Body))
		m := new(pdu.Descs)
		for _, id := range asked.IDs {
			m.Descs = append(m.Descs, desc(id))
		}
		return []pdu.Message{m}
	case pdu.TypeDescReq:
		var asked pdu.DescReq
		must(asked.Decode(f.Body))
		return []pdu.Message{&pdu.Desc{Desc: desc(asked.ID)}}
	case pdu.TypeHighResFetch:
		var asked pdu.HighResFetch
		must(asked.Decode(f.Body))
		res := &pcp.Result{Time: pcp.Timestamp{Sec: 1700000000}, Sets: make([]pcp.Values, len(asked.IDs))}
		for i, id := range asked.IDs {
			res.Sets[i] = pcp.Values{ID: id, Type: pcp.Uint32, Insts: singular, Words: zero}
		}
		return []pdu.Message{&pdu.HighResResult{Result: pdu.Result{Values: res}}}
	case pdu.TypeTextReq:
		return []pdu.Message{&pdu.Text{Text: "what this metric counts"}}
	case pdu.TypeLabelReq:
		var asked pdu.LabelReq
		must(asked.Decode(f.Body))
		return []pdu.Message{&pdu.Label{Ident: asked.Ident, Kind: asked.Kind,
			Sets: []pcp.LabelSet{{Inst: pcp.NullInst, Labels: []pcp.Label{{Name: "agent", Value: `"growth"`}}}}}}
	}
	return []pdu.Message{}
}

// The values of every metric of a world.
var singular, zero = []int32{pcp.NullInst}, []uint64{0}

// desc describes a metric of a world.
func desc(id pcp.ID) pcp.Desc {
	return pcp.Desc{ID: id, Type: pcp.Uint32, InDom: pcp.NullInDom, Sem: pcp.Instant}
}

// server returns a daemon with n metrics.
func server(t *testing.T, n int) *pmcdtest.Server {
	s := pmcdtest.NewServer(world{n})
	t.Cleanup(func() { s.Close() })
	return s
}

// connect opens a connection to it.
func connect(t *testing.T, s *pmcdtest.Server) *pmapi.Host {
	h, err := pmapi.OpenHost(ctx, "127.0.0.1", &pmcd.Dialer{DialContext: s.Dial})
	must(err)
	return h
}

// daemon returns a connection to a daemon with n metrics.
func daemon(t *testing.T, n int) *pmapi.Host {
	h := connect(t, server(t, n))
	t.Cleanup(func() { h.Close() })
	return h
}

// addresses returns those of n hosts, and what connects to them: the same daemon for all.
func addresses(t *testing.T, n int) ([]string, *pmcd.Dialer) {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("10.0.%d.%d", i>>8, i&0xff)
	}
	return list, &pmcd.Dialer{DialContext: server(t, 10).Dial}
}

// fleet reads one metric of many hosts, each a connection.
func fleet(t *testing.T, n int) func() {
	type sample struct {
		Load fetchgroup.Opt[float64] `pcp:"group0.sub0.metric1"`
	}
	hosts, dialer := addresses(t, n)
	opt := &fetchgroup.FleetOptions{Interval: -1, Rounds: 2, Open: func(ctx context.Context, host string) (pmapi.Source, error) {
		return pmapi.OpenHost(ctx, host, dialer)
	}}
	return func() {
		rows := 0
		for row := range fetchgroup.Fleet[sample](ctx, hosts, opt) {
			must(row.Err)
			rows++
		}
		if rows < n {
			panic(fmt.Sprint(rows, " rows"))
		}
	}
}

// mapped reads all values of a file of mapped values.
func mapped(t *testing.T, n int) func() {
	dir := t.TempDir()
	r, err := mmv.Create("growth", mmv.Options{Dir: dir})
	must(err)
	t.Cleanup(func() { r.Close() })
	d := r.Domain()
	for i := range n {
		d.Add(instance(i))
	}
	mmv.Counter[uint64](r, "values", mmv.Per(d)).At(instance(0)).Add(1)
	must(r.Err())
	b, err := os.ReadFile(filepath.Join(dir, "growth"))
	must(err)
	return func() {
		f, err := mmv.Parse(b)
		must(err)
		if len(f.Values) != n {
			panic(fmt.Sprint(len(f.Values), " values"))
		}
	}
}

// nameSpace returns a name space file with n metrics.
func nameSpace(n int) []byte {
	var b strings.Builder
	b.WriteString("root {\n")
	for i := range (n + 99) / 100 {
		fmt.Fprintf(&b, "\tsub%d\n", i)
	}
	b.WriteString("}\n")
	for i := range n {
		if i%100 == 0 {
			fmt.Fprintf(&b, "sub%d {\n", i/100)
		}
		fmt.Fprintf(&b, "\tmetric%d\t245:%d:%d\n", i, i/1000, i%1000)
		if i%100 == 99 || i == n-1 {
			b.WriteString("}\n")
		}
	}
	return []byte(b.String())
}
