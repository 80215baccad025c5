package cli

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// maxMail is how much text a mailbox keeps.
const maxMail = 256 << 10

// A mailbox keeps the messages of a command until somebody reads them. If there is no room they are lost.
type mailbox struct {
	mu    sync.Mutex
	text  []byte
	lost  int
	ended bool
	come  chan struct{} // has room for one
	done  chan struct{}
}

// Unblock makes writes to standard error return at once, so that a blocked reader does not stop the work. deliver waits until all text
// is written, but at most a second after the end of ctx; the rest is lost, and so are later writes.
func (env *Env) Unblock(ctx context.Context) (deliver func()) {
	s, ok := env.Stderr.(*stream)
	if !ok {
		return func() {}
	}
	m := &mailbox{come: make(chan struct{}, 1), done: make(chan struct{})}
	_ = env.Out.Flush() // as before each message
	s.mail.Store(m)
	go m.run(s, env.Prog)
	return func() {
		m.change(func() { m.ended = true })
		select {
		case <-m.done:
		case <-ctx.Done():
			select {
			case <-m.done:
			case <-time.After(patience):
				m.change(func() { m.text, m.lost = nil, 0 })
				return
			}
		}
		s.mail.Store(nil)
	}
}

func (m *mailbox) put(p []byte) {
	m.change(func() {
		switch {
		case len(m.text)+len(p) > maxMail:
			m.lost++
		case !m.ended:
			m.text = append(m.text, p...)
		}
	})
}

// change changes the content, and wakes run.
func (m *mailbox) change(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
	select {
	case m.come <- struct{}{}:
	default:
	}
}

func (m *mailbox) take() (text []byte, more bool, lost int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, lost = m.text, m.lost
	m.text, m.lost = nil, 0
	return text, !m.ended, lost
}

// run writes what comes. It takes all messages at once, so that those that are lost come after those that are kept.
func (m *mailbox) run(s *stream, prog string) {
	defer close(m.done)
	for more := true; more; {
		<-m.come
		var text []byte
		var lost int
		if text, more, lost = m.take(); lost > 0 {
			text = fmt.Appendf(text, "%s: %d messages are lost, since nobody has read those before\n", prog, lost)
		}
		if len(text) > 0 {
			_, _ = s.write(text) // there is nowhere to say that messages cannot be written
		}
	}
}
