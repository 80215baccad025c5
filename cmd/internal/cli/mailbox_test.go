package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestUnblock: messages do not wait for a reader. They come in their order, those without room are counted, and the end waits for the reader
// until it is interrupted.
func TestUnblock(t *testing.T) { synctest.Test(t, testUnblock) }

func testUnblock(t *testing.T) {
	for _, read := range []bool{true, false} {
		r, w := io.Pipe()
		env := &Env{Prog: "p"}
		env.Out = bufio.NewWriter(io.Discard)
		env.Stderr = &stream{w: w, first: env.Out}
		ctx, cancel := context.WithCancel(t.Context())
		deliver := env.Unblock(ctx)
		fmt.Fprintln(env.Stderr, "first")
		synctest.Wait() // run writes it
		line := strings.Repeat("x", 1023) + "\n"
		for range 300 {
			fmt.Fprint(env.Stderr, line)
		}
		delivered := make(chan time.Time, 1)
		begun := time.Now()
		go func() { deliver(); delivered <- time.Now() }()
		time.Sleep(time.Hour)
		if len(delivered) > 0 {
			t.Errorf("read %v: the end has not waited", read)
		}
		if read {
			text := make(chan string)
			go func() { b, _ := io.ReadAll(r); text <- string(b) }()
			<-delivered
			fmt.Fprintln(env.Stderr, "last")
			_ = w.Close()
			if got, want := <-text, "first\n"+strings.Repeat(line, 256)+"p: 44 messages are lost, since nobody has read those before\nlast\n"; got != want {
				t.Errorf("%d bytes, not %d: %.100q", len(got), len(want), got)
			}
		} else {
			cancel()
			if took := (<-delivered).Sub(begun); took > time.Hour+2*time.Second {
				t.Errorf("it took %v", took)
			}
			fmt.Fprintln(env.Stderr, "last") // does not wait
			_ = r.Close()
		}
		cancel()
		synctest.Wait()
	}
}
