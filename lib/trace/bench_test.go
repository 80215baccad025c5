package trace

import (
	"bufio"
	"net"
	"testing"
	"time"

	"pmtools/lib/trace/internal/tracepdu"
)

// benchClient returns a Client of an agent that acknowledges and forgets.
func benchClient(b *testing.B, state State) *Client {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if _, err = c.Write(tracepdu.AppendAck(nil, 1, tracepdu.Version)); err != nil {
				return
			}
			for r := tracepdu.NewReader(bufio.NewReader(c)); err == nil; {
				var body []byte
				if _, body, err = r.Next(); err == nil && body[3] != 0 {
					_, err = c.Write(tracepdu.AppendAck(nil, 1, int32(body[2])))
				}
			}
		}
	}()
	c, err := New(&Options{Addr: l.Addr().String(), State: state, Reconnect: []time.Duration{time.Hour}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	return c
}

// flushed is after how many calls the benchmarks wait until all is sent, so that nothing is lost.
const flushed = 1000

// BenchmarkPoint is a report in both modes, and without an agent.
func BenchmarkPoint(b *testing.B) {
	for _, m := range []struct {
		name  string
		state State
		up    bool
	}{{"sync", 0, true}, {"async", Async, true}, {"noflag", NoAgent, true}, {"noagent", 0, false}} {
		b.Run(m.name, func(b *testing.B) {
			c := benchClient(b, m.state)
			if !m.up {
				c.opts.Addr = "127.0.0.1:1"
			}
			if err := c.Point("benchmark"); (err == nil) != m.up {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				if c.Point("benchmark") != nil && m.up {
					b.Fatal("a report was lost")
				}
				if n%flushed == 0 {
					_ = c.Flush()
				}
			}
		})
	}
}

// BenchmarkTransaction is a transaction, asynchronous and without an agent.
func BenchmarkTransaction(b *testing.B) {
	for _, up := range []bool{true, false} {
		b.Run(map[bool]string{true: "async", false: "noagent"}[up], func(b *testing.B) {
			c := benchClient(b, Async)
			if !up {
				c.opts.Addr = "127.0.0.1:1"
				_ = c.Point("benchmark")
				_ = c.Flush()
			}
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				if c.Begin("benchmark")() != nil && up {
					b.Fatal("a report was lost")
				}
				if n%flushed == 0 {
					_ = c.Flush()
				}
			}
		})
	}
}
