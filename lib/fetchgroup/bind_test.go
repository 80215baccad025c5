package fetchgroup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pmtools/lib/builtin"
	"pmtools/lib/pcp"
	"pmtools/lib/pdu"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmcd"
	"pmtools/lib/pmcd/pmcdtest"
	"pmtools/lib/pmerr"
)

// bin is an element of a slice.
type bin struct {
	Name  string      `pcp:",instance"`
	Inst  int32       `pcp:",instance"`
	Value int64       `pcp:"sample.bin"`
	Ctr   Opt[uint64] `pcp:"sample.long.bin_ctr,instant"`
	Gone  Opt[string] `pcp:"no.such,optional"`
	Part  float32     `pcp:"sample.part_bin,unit=1"`
	other int
}

// percent is a number of a type of its own.
type percent float64

// everything has a field of each kind.
type everything struct {
	Time   time.Time           `pcp:",time"`
	Ten    int                 `pcp:"sample.long.ten"`
	Text   string              `pcp:"sample.long.ten"`
	Hullo  string              `pcp:"sample.string.hullo"`
	One    uint32              `pcp:"sample.bin[bin-100]"`
	Kilo   percent             `pcp:"sample.ulong.count.kilo,unit=count/kbyte"`
	Sum    float64             `pcp:"=sum(sample.bin)"`
	Share  float64             `pcp:"=min(sample.bin) / max(sample.bin),unit=1"`
	Rate   Opt[float64]        `pcp:"sample.seconds,rate"`
	Gone   int64               `pcp:"no.such,optional"`
	Bad    Opt[float32]        `pcp:"=no.such + 1,optional"`
	Colour map[string]float64  `pcp:"sample.part_bin,unit=1"`
	Ctrs   map[string]Opt[int] `pcp:"sample.long.bin_ctr,rate"`
	Bins   []bin
	Notes  string
}

// TestBind fills a struct.
func TestBind(t *testing.T) {
	g, _ := sampleGroup(t)
	b, err := Bind[everything](t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		e, err := b.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if e.Time.IsZero() || e.Time != g.Time() {
			t.Errorf("fetch %d: %+v", i, e)
		} else if e.Ten != 10 || e.Text != "10" || e.Hullo != "hullo world!" {
			t.Errorf("fetch %d: %+v", i, e)
		} else if e.One != 100 || e.Kilo != 41015.625 {
			t.Errorf("fetch %d: %+v", i, e)
		} else if e.Sum != 4500 || math.Abs(e.Share-1.0/9) > 1e-12 || e.Gone != -1 {
			t.Errorf("fetch %d: %+v", i, e)
		}
		if _, err := e.Rate.Get(); (err == nil) != (i > 0) || e.Bad.Status != pmerr.BadDerive {
			t.Errorf("fetch %d: %+v %+v", i, e.Rate, e.Bad)
		} else if e.Bad.Or(7) != 7 || e.Rate.Or(-1) == -1 != (i == 0) {
			t.Errorf("fetch %d: %+v %+v", i, e.Rate, e.Bad)
		}
		if fmt.Sprint(e.Colour) != "map[bin-100:100 bin-300:300 bin-500:500 bin-700:700 bin-900:900]" || len(e.Ctrs) != 9 || e.Ctrs["bin-100"].Status != 0 != (i == 0) {
			t.Errorf("fetch %d: %v %v", i, e.Colour, e.Ctrs)
		}
		for k, r := range e.Bins {
			if r.Name != fmt.Sprint("bin-", 100*(k+1)) || r.Value != int64(100*(k+1)) {
				t.Errorf("fetch %d: %+v", i, r)
			} else if r.Inst != int32(r.Value) || r.Ctr.Status != 0 || r.Gone.Status != pmerr.Name {
				t.Errorf("fetch %d: %+v", i, r)
			} else if (k%2 == 0) != (r.Part == float32(r.Value)) || k%2 == 1 && !math.IsNaN(float64(r.Part)) || r.other != 0 {
				t.Errorf("fetch %d: %+v", i, r)
			}
		}
		if len(e.Bins) != 9 {
			t.Errorf("fetch %d: %d bins", i, len(e.Bins))
		}
		if text, err := json.Marshal(e.Bins[0]); err != nil || !strings.Contains(string(text), `"Gone":null`) || strings.Contains(string(text), `"Ctr":null`) {
			t.Errorf("%s %v", text, err)
		}
	}
}

// TestBindMistakes has one clear error for each mistake.
func TestBindMistakes(t *testing.T) {
	type row struct {
		Name  int16   `pcp:",instance"`
		Deep  []bin   // of no use here
		Ten   int     `pcp:"sample.long.ten"`
		Bin   int     `pcp:"sample.bin"`
		Red   int     `pcp:"sample.colour"`
		Which float64 `pcp:"sample.bin[bin-100]"`
	}
	type wrong struct {
		Chan     chan int        `pcp:"sample.long.ten"`
		hidden   int             `pcp:"sample.long.ten"`
		Tagless  int             `pcp:",rate"`
		Time     int             `pcp:",time"`
		Keys     map[int]float64 `pcp:"sample.bin"`
		Option   int             `pcp:"sample.long.ten,speed"`
		Instance string          `pcp:",instance"`
	}
	type other struct {
		Scalar int            `pcp:"sample.bin"`
		Units  float64        `pcp:"sample.long.ten,unit=Gbyte"`
		Parse  float64        `pcp:"=sample.long.ten +"`
		Mean   float64        `pcp:"=100 * sample.long.tn"`
		Name   float64        `pcp:"sample.lng.ten"`
		Map    map[string]int `pcp:"sample.long.ten"`
		Inst   int            `pcp:"sample.bin[bin-150]"`
		Type   int            `pcp:"sample.aggregate.hullo"`
	}
	type elements struct {
		Rows []struct {
			Ten int `pcp:"sample.long.ten"`
			Bin int `pcp:"sample.bin"`
			Red int `pcp:"sample.colour"`
		}
	}
	g, _ := sampleGroup(t)
	_ = wrong{}.hidden
	for _, tt := range []struct {
		bind func() error
		want string
	}{
		{func() error { _, err := Bind[wrong](t.Context(), g); return err }, `wrong.Chan: no metric has values of type chan int: take int, int32, int64, uint, uint32, uint64, float32, float64, string, Opt, a map or a slice of structs
  sample.long.ten
  ^
wrong.hidden: the field is not exported
  sample.long.ten
  ^
wrong.Tagless: a metric is missing
  ,rate
  ^
wrong.Time: the option time is for a time.Time, not int
  ,time
  ^
wrong.Keys: the keys of map[int]float64 are not strings
  sample.bin
  ^
wrong.Option: unknown option "speed": rate, instant, unit=UNITS, optional, instance and time are known
  sample.long.ten,speed
                  ^
wrong.Instance: the option instance is for structs in a slice
  ,instance
  ^`},
		{func() error { _, err := Bind[struct{ Rows []row }](t.Context(), g); return err }, `.Rows.Name: the option instance is for a string or an int32, not int16
  ,instance
  ^
.Rows.Deep: a slice of structs inside another
.Rows.Ten: sample.long.ten: Unknown or illegal instance domain identifier: the metric has no instances for a slice
  sample.long.ten
  ^
.Rows.Red: sample.colour: Unknown or illegal instance domain identifier: its instances are those of 29.1, and sample.bin has those of 29.2
  sample.colour
  ^
.Rows.Which: one instance in a struct that has one for each
  sample.bin[bin-100]
  ^`},
		{func() error { _, err := Bind[other](t.Context(), g); return err }, `other.Scalar: sample.bin: Unknown or illegal instance domain identifier: the metric has instances: name one, as in METRIC[INSTANCE], or take all, in a map or a slice of structs
  sample.bin
  ^
other.Units: sample.long.ten: Impossible value or scale conversion: a number without dimension does not become "Gbyte"
  sample.long.ten,unit=Gbyte
                       ^
other.Parse: found the end, expected a metric, a number, a function, '(', '-' or '!'
  sample.long.ten +
                   ^
other.Mean: unknown metric sample.long.tn
  100 * sample.long.tn
        ^
  did you mean sample.long.ten?
other.Name: sample.lng.ten: Unknown metric name; did you mean sample.long.ten?
  sample.lng.ten
  ^
other.Map: sample.long.ten: Unknown or illegal instance domain identifier: the metric has no instances for a map
  sample.long.ten
  ^
other.Inst: sample.bin[bin-150]: Unknown or illegal instance identifier
  sample.bin[bin-150]
             ^
other.Type: sample.aggregate.hullo: Unknown or illegal metric type: AGGREGATE is not a number or a string
  sample.aggregate.hullo
  ^`},
		{func() error { _, err := Bind[elements](t.Context(), g); return err }, `elements.Rows.Ten: sample.long.ten: Unknown or illegal instance domain identifier: the metric has no instances for a slice
  sample.long.ten
  ^
elements.Rows.Red: sample.colour: Unknown or illegal instance domain identifier: its instances are those of 29.1, and sample.bin has those of 29.2
  sample.colour
  ^`},
		{func() error { _, err := Bind[struct{ A int }](t.Context(), g); return err }, `: no field has a tag`},
		{func() error { _, err := Bind[int](t.Context(), g); return err }, `Bad value for function argument: int is not a struct`},
	} {
		err := tt.bind()
		if err == nil || err.Error() != tt.want {
			t.Errorf("got\n%v\nwant\n%s", err, tt.want)
		}
		if _, err := g.Fetch(t.Context()); !errors.Is(err, pmerr.TooSmall) {
			t.Errorf("something is registered after the mistakes: %v", err)
		}
	}
	plain := New(builtin.Default(nil), nil)
	defer plain.Close()
	if _, err := Bind[struct {
		A float64 `pcp:"=1 + 1"`
	}](t.Context(), plain); !errors.Is(err, pmerr.NYI) {
		t.Errorf("an expression over a source that has none: %v", err)
	}
}

// TestBindRoundTrips counts the requests of a struct: one lookup, one question for descriptions,
// one for instances, and one fetch each time.
func TestBindRoundTrips(t *testing.T) {
	s := pmcdtest.NewServer(pmcdtest.Sample())
	defer s.Close()
	src, err := pmapi.OpenHost(t.Context(), "127.0.0.1", &pmcd.Dialer{DialContext: s.Dial})
	if err != nil {
		t.Fatal(err)
	}
	g := New(src, nil)
	defer g.Close()
	type host struct {
		One  int            `pcp:"sample.long.one"`
		Text string         `pcp:"sample.long.one"`
		Bins map[string]int `pcp:"sample.bin"`
	}
	b, err := Bind[host](t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := b.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for kind, want := range map[pdu.Type]int{pdu.TypeNames: 1, pdu.TypeDescIDs: 1, pdu.TypeDescReq: 0, pdu.TypeInstanceReq: 1, pdu.TypeHighResFetch: 3} {
		if n := s.Count(kind); n != want {
			t.Errorf("%v: %d requests, want %d", kind, n, want)
		}
	}
}

// TestEach reads a recording to its end, by steps and by records; and live values until the loop
// ends.
func TestEach(t *testing.T) {
	type host struct {
		Time  time.Time          `pcp:",time"`
		Reads map[string]float64 `pcp:"disk.dev.read"`
		Used  Opt[int]           `pcp:"mem.util.used"`
	}
	for _, tt := range []struct {
		interval time.Duration
		want     string
	}{
		{2 * time.Second, "2:2:0 4:4:4 6:4:6 8:5:8 10:5:10 "},
		{0, "1:2:-1 2:2:2 3:4:3 4:4:4 5:4:5 6:4:6 7:5:7 8:5:8 9:5:9 10:5:10 "},
	} {
		src, err := pmapi.OpenArchive(t.Context(), dyninsts(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		g := New(src, nil)
		b, err := Bind[host](t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for h, err := range b.Each(t.Context(), tt.interval) {
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&got, "%d:%d:%d ", h.Time.Unix(), len(h.Reads), h.Used.Value)
		}
		if tt.interval > 0 {
			tt.want = strings.Replace(tt.want, "2:2:0", "2:2:2", 1)
		}
		if got.String() != tt.want {
			t.Errorf("%v: got %s", tt.interval, got.String())
		}
		g.Close()
	}
}

// TestEachLive ends with its loop and with its context, and goes on after a lost connection.
func TestEachLive(t *testing.T) {
	g, s := scripted(t, pcp.Desc{Type: pcp.Int32, InDom: pcp.NullInDom, Sem: pcp.Instant}, nil, nil, one(7))
	type host struct {
		X int `pcp:"w.x"`
	}
	b, err := Bind[host](t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	good, bad := 0, 0
	for h, err := range b.Each(ctx, 10*time.Millisecond) {
		if err != nil {
			bad++
			continue
		}
		if good++; h.X != 7 {
			t.Errorf("%+v", h)
		}
		if good == 2 {
			s.Hangup()
		}
		if good == 4 {
			break
		}
	}
	if good != 4 || bad != 1 {
		t.Errorf("%d values, %d errors", good, bad)
	}
	began := time.Now()
	ctx, cancel = context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	for range b.Each(ctx, time.Hour) {
	}
	if time.Since(began) > 30*time.Second {
		t.Errorf("ended after %v", time.Since(began))
	}
}
