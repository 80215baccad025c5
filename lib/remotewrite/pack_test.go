package remotewrite

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
)

// FuzzDecode: no body of a Block makes the reader panic, and one that can be read can be written again.
func FuzzDecode(f *testing.F) {
	var r Request
	r.Add(&Series{EncodeLabels(Label{"__name__", "a"}), &Metadata{Kind: Gauge, Help: "h"}, 5}, 10, 1)
	r.Add(of(EncodeLabels(Label{"__name__", "b"})), 10, 2)
	b := r.Block()
	key := b.key()
	f.Add(b.encode(nil))
	f.Add(b.encode(key))
	f.Fuzz(func(t *testing.T, body []byte) {
		b, err := decode(body, key)
		if err != nil {
			return
		}
		again, err := decode(b.encode(nil), nil)
		if err != nil || !bytes.Equal(again.message1(), b.message1()) || !bytes.Equal(again.message2(), b.message2()) {
			t.Errorf("%x: %v", body, err)
		}
	})
}

// TestPack: Blocks come back as they were, and live ones take at most 8 bytes for each sample, whatever is in them.
func TestPack(t *testing.T) {
	for _, tt := range []struct {
		name  string
		value func(r *rand.Rand, i int, v float64) float64
		most  float64
	}{
		{"noise", func(r *rand.Rand, _ int, _ float64) float64 { return r.Float64() }, 8},
		{"milliseconds", func(r *rand.Rand, _ int, v float64) float64 { return float64(int64(v*1000)+r.Int64N(10000)) / 1000 }, 7},
		{"counters", func(r *rand.Rand, i int, v float64) float64 { return v + float64(r.IntN(1+i%5000)) }, 4},
		{"quiet", func(_ *rand.Rand, _ int, v float64) float64 { return v }, 0.5},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		const n = 3000
		var series []Series
		values := make([]float64, n)
		for i := range n {
			series = append(series, Series{Labels: EncodeLabels(Label{"__name__", fmt.Sprint("metric_", i/50)}, Label{"agent", "linux"}, Label{"host", "web1.example.com"},
				Label{"instance", fmt.Sprint("disk", i%50)}, Label{"indom", "60.1"})})
			values[i] = float64(r.Uint32())
		}
		q, err := OpenQueue(&QueueOptions{Dir: t.TempDir(), Max: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		var sizes []int64
		const rounds = 70
		for number := range uint64(rounds) {
			var req Request
			for i := range series {
				if number%10 == 3 && i == 100 {
					continue
				}
				values[i] = tt.value(r, i, values[i])
				req.Add(&series[i], 1700000000000+int64(number)*10_000, values[i])
			}
			b := req.Block()
			b.Alike = true
			if err := q.Put(&b); err != nil {
				t.Fatal(err)
			}
			e := q.list[number]
			info, err := os.Stat(q.path(e))
			if err != nil {
				t.Fatal(err)
			}
			sizes = append(sizes, info.Size())
			if got, err := q.load(e); err != nil || !bytes.Equal(got.message1(), b.message1()) || !bytes.Equal(got.message2(), b.message2()) {
				t.Fatalf("%s, %d: %v", tt.name, number, err)
			}
		}
		size := int64(0)
		for _, n := range sizes {
			size += n
		}
		got := float64(size) / float64(n*rounds)
		t.Logf("%s: %.2f bytes a sample, the first %.2f", tt.name, got, float64(sizes[0])/n)
		if got > tt.most {
			t.Errorf("%s: %.2f bytes a sample, want at most %v", tt.name, got, tt.most)
		}
	}
}
