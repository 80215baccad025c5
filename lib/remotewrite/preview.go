package remotewrite

import (
	"context"
	"fmt"
)

// A Sink takes the samples of a Sender: a [Queue], or a [Preview].
type Sink interface {
	Put(b *Block) error
	PutWait(ctx context.Context, b *Block) error
	Stats() Stats
}

// A Preview is a Sink that sends nothing: it tells what a Queue would get. Its zero value is empty.
type Preview struct {
	Series  []PreviewSeries // in the order in which they begin
	Samples int
	Bytes   int // of all requests, in version 2.0

	index map[Labels]int
}

// A PreviewSeries is a series that would be sent.
type PreviewSeries struct {
	Series
	Samples int
	First   float64 // the value of the first sample
}

// Put implements Sink.
func (p *Preview) Put(b *Block) error {
	p.Samples += b.Samples
	p.Bytes += len(b.message(2))
	if p.index == nil {
		p.index = make(map[Labels]int)
	}
	for i := range b.series {
		s := &b.series[i]
		n, ok := p.index[s.Labels]
		if !ok {
			n = len(p.Series)
			p.index[s.Labels] = n
			p.Series = append(p.Series, PreviewSeries{Series: s.Series, First: s.samples[0].value})
		}
		p.Series[n].Samples += len(s.samples)
	}
	return nil
}

// PutWait implements Sink.
func (p *Preview) PutWait(_ context.Context, b *Block) error { return p.Put(b) }

// Stats implements Sink.
func (p *Preview) Stats() Stats { return Stats{} }

// Summary tells what a Sender would send, and what it leaves out.
func (p *Preview) Summary(m Missing) string {
	r := Report{Sent: p.Samples, Missing: m}
	return r.text(fmt.Sprintf("of %d series would be sent, in requests of %d bytes together", len(p.Series), p.Bytes))
}
