package remotewrite

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pmtools/internal/remotewritetest"
	"pmtools/lib/pcp"
	"pmtools/lib/safefile"
	"pmtools/lib/sampling"
	"pmtools/test/simulation"
)

// A simulated is a live run over hosts whose samples go into a database: over a network that delays, cuts and half-opens connections, to
// a receiver that answers late or with errors, through a queue on a disk that fills, while hosts come, go and set their clocks, and the
// program is started again. A seed decides all of this. In the end everything heals.
type simulated struct {
	t      *testing.T
	dir    string
	faults *simulation.Faults

	mu   sync.Mutex    // guards what follows, which several goroutines use
	put  int           // the samples of the requests that are in the queue, or have been
	last int           // those of the last one, before its name is synced
	full bool          // the disk
	jump time.Duration // of the queue's clock

	db     remotewritetest.Database
	opt    QueueOptions
	hosts  *Hosts
	online map[string]*simulatedHost
	ahead  map[string]time.Duration // the most that the clocks of hosts have been
	total  Report
	again  int // samples of requests that were acknowledged, and which the next process sends, and counts, once more
	queue  *Queue
}

type simulatedHost struct {
	state sampling.HostState
	jump  time.Duration // of its clock
}

var simulatedNames = []string{"a", "b", "c"}

// observe is the disk. It notes the requests that get their names there.
func (s *simulated) observe(op *safefile.Op) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full && (op.Kind == safefile.OpWrite || op.Kind == safefile.OpOpen || op.Kind == safefile.OpSyncDir) {
		if op.Kind == safefile.OpSyncDir {
			s.put -= s.last // its writer removes it
			s.last = 0
		}
		op.Data = op.Data[:len(op.Data)/2]
		return syscall.ENOSPC
	}
	if op.Kind == safefile.OpRename && strings.HasSuffix(op.To, written) {
		if e, ok := parseName(strings.TrimSuffix(filepath.Base(op.To), written)); ok {
			s.last = e.samples
			s.put += e.samples
		}
	} else if op.Kind == safefile.OpSyncDir {
		s.last = 0
	}
	return nil
}

// now is the clock of the queue: one of the wall, which is set at times. That of a process has readings of a monotonic clock beside it,
// and so does not even see that.
func (s *simulated) now() time.Time {
	set := s.faults.Chance(50)
	jump := time.Duration(s.faults.UpTo(14400)-7200) * time.Second
	s.mu.Lock()
	defer s.mu.Unlock()
	if set {
		s.jump = jump
	}
	return time.Now().Add(s.jump).Round(0)
}

// A simulatedListener gives the server the other ends.
type simulatedListener struct {
	conns chan net.Conn
	ended chan struct{}
	once  sync.Once
}

func (l *simulatedListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.ended:
		return nil, net.ErrClosed
	}
}

func (l *simulatedListener) Close() error {
	l.once.Do(func() { close(l.ended) })
	return nil
}

func (l *simulatedListener) Addr() net.Addr { return &net.TCPAddr{} }

func (s *simulated) dial(l *simulatedListener) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		if s.faults.Chance(8) {
			return nil, syscall.ECONNREFUSED
		}
		ours, theirs := net.Pipe()
		select {
		case l.conns <- theirs:
			return s.faults.Conn(ours), nil
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), ours.Close(), theirs.Close())
		}
	}
}

// ServeHTTP is the receiver.
func (s *simulated) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fail := func(code int) { http.Error(w, "simulated", code) }
	body, err := io.ReadAll(r.Body)
	if err != nil {
		fail(http.StatusBadRequest)
		return
	}
	take := func(w http.ResponseWriter) {
		again := r.Clone(r.Context())
		again.Body = io.NopCloser(strings.NewReader(string(body)))
		s.db.ServeHTTP(w, again)
	}
	if crc32.ChecksumIEEE(body)%20 == 0 { // each time
		fail(http.StatusBadRequest)
		return
	}
	switch s.faults.UpTo(20) {
	case 1:
		time.Sleep(time.Duration(s.faults.UpTo(15)) * time.Second)
		take(w)
	case 2:
		take(w)
		time.Sleep(time.Duration(s.faults.UpTo(15)) * time.Second)
	case 4:
		w.Header().Set("Retry-After", strconv.Itoa(s.faults.UpTo(20)))
		fail(http.StatusTooManyRequests)
	case 5:
		fail(http.StatusInternalServerError)
	case 6:
		fail(http.StatusServiceUnavailable)
	case 7:
		take(w)
		panic(http.ErrAbortHandler)
	case 8: // a proxy that sends it twice
		take(discarded{})
		take(w)
	default:
		take(w)
	}
}

type discarded struct{}

func (discarded) Header() http.Header         { return http.Header{} }
func (discarded) Write(b []byte) (int, error) { return len(b), nil }
func (discarded) WriteHeader(int)             {}

// round takes a sample of the hosts that answer.
func (s *simulated) round(snd *Sender) error {
	var x, d sampling.Set
	for _, name := range simulatedNames {
		h := s.online[name]
		known := h != nil
		switch {
		case h == nil && s.faults.Chance(5):
			h = &simulatedHost{jump: s.ahead[name] + time.Second} // one that the Sender does not know must not be back
			s.online[name] = h
			s.hosts.hosts[name] = &host{name: name, descs: make(map[string]pcp.Desc)}
		case h != nil && s.faults.Chance(40):
			snd.Gone(name)
			delete(s.online, name)
			h = nil
		}
		if h == nil {
			continue
		}
		if h.state = sampling.Answered; known && s.faults.Chance(6) { // without an answer, the Sender takes the clock of others
			h.state = sampling.HostState(s.faults.UpTo(2))
		}
		if known && s.faults.Chance(30) {
			h.jump = time.Duration(s.faults.UpTo(7200)-3600) * time.Second
			s.ahead[name] = max(s.ahead[name], h.jump)
		}
		snd.Heard(name, h.state)
		if h.state != sampling.Answered {
			continue
		}
		now := time.Now().Add(h.jump)
		at := pcp.Timestamp{Sec: now.Unix(), Nsec: int32(now.Nanosecond())}
		x.Append(sampling.Value{ID: pcp.NullInst, Host: name, Value: pcp.DoubleValue(float64(now.Unix())), Time: at})
		insts := 4 // the Sender must know the series to see that they go back
		if known {
			insts = s.faults.UpTo(4)
		}
		for id := range int32(insts) {
			d.Append(sampling.Value{ID: id, Instance: fmt.Sprint("i", id), Host: name, Value: pcp.DoubleValue(1), Time: at})
		}
	}
	if err := snd.Sample(s.t.Context(), &sampling.Sample{Sets: []sampling.Set{x, d}}); err != nil {
		return err
	}
	return snd.Round()
}

// process runs for some rounds, and until all is sent if it is the last one.
func (s *simulated) process(c *Client, rounds int, last bool) error {
	q, err := OpenQueue(&s.opt)
	if err != nil {
		return err
	}
	s.queue, q.now = q, s.now
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	var report Report
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		report, _ = Drain(ctx, q, c, Backoff{100 * time.Millisecond, 30 * time.Second}, func(error) {})
	}()
	s.hosts, s.online = &Hosts{hosts: make(map[string]*host), owners: make(map[string]string)}, make(map[string]*simulatedHost)
	snd := NewSender(ctx, &SenderOptions{Queue: q, Hosts: s.hosts, Live: true, Warn: func(error) {}})
	double := func(name string, dom pcp.InDom) sampling.Metric {
		return sampling.Metric{Name: name, Desc: pcp.Desc{ID: pcp.NullID, Type: pcp.Double, InDom: dom}}
	}
	snd.Begin(&sampling.Header{Metrics: []sampling.Metric{double("x", pcp.NullInDom), double("d", pcp.NewInDom(60, 1))}, Live: true, Hosts: []string{}})
	for range rounds {
		full := s.faults.Chance(15)
		s.mu.Lock()
		s.full = full
		s.mu.Unlock()
		if err = errors.Join(err, s.round(snd), s.bounded(q)); err != nil {
			break
		}
		time.Sleep(time.Duration(1+s.faults.UpTo(4000)) * time.Millisecond)
	}
	s.mu.Lock()
	s.full = false
	s.mu.Unlock()
	if last {
		s.faults.Heal()
		err = errors.Join(err, snd.End())
	}
	q.Finish()
	for i := 0; last && q.Waiting() > 0 && err == nil; i++ {
		if time.Sleep(time.Second); i == 3600 {
			err = fmt.Errorf("after an hour %d samples wait", q.Waiting())
		}
	}
	if last && err == nil {
		<-ended
	}
	cancel()
	<-ended
	for _, e := range q.list {
		if e.state == doubted {
			s.again += e.samples
		}
	}
	s.total.Sent += report.Sent
	s.total.Refused += report.Refused
	s.total.Damaged += report.Damaged
	return errors.Join(err, s.bounded(q), q.Close())
}

func (s *simulated) bounded(q *Queue) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if limit := q.opt.Max; q.size > limit || q.size < 0 || len(q.list) > int(limit/diskBlock) || len(q.keys) > 2*parallel {
		return fmt.Errorf("the queue has %d bytes of %d, %d requests, %d keys in use", q.size, limit, len(q.list), len(q.keys))
	}
	return nil
}

// check compares the database with what was put into the queue: each sample is there if it was acknowledged, and counted once; the
// samples of a series came in their order, but for those that came again.
func (s *simulated) check() error {
	there := 0
	for series, list := range s.db.Series() {
		last, seen := int64(0), make(map[int64]bool)
		for _, x := range list {
			if seen[x.MS] {
				continue
			}
			if seen[x.MS] = true; x.MS < last {
				return fmt.Errorf("%s: %d came after %d", series, x.MS, last)
			}
			last = x.MS
		}
		there += len(seen)
	}
	r := s.total
	r.Sent -= s.again
	if r.Sent+r.Refused != s.put || r.Damaged != 0 || r.Sent > there || r.Sent+r.Refused < there {
		return fmt.Errorf("%d samples were put, %d are there: %+v", s.put, there, r)
	}
	q, err := OpenQueue(&s.opt) // the next process removes what could not be removed
	if err == nil {
		err = q.Close()
	}
	if err != nil {
		return err
	}
	if left, _ := filepath.Glob(filepath.Join(s.dir, "*")); len(left) > 0 && !slices.Equal(left, []string{filepath.Join(s.dir, "lock")}) {
		return fmt.Errorf("%q are left", left)
	}
	return nil
}

func (s *simulated) run() error {
	s.ahead = make(map[string]time.Duration)
	s.opt = QueueOptions{Dir: s.dir, Max: int64(8+s.faults.UpTo(40)) * diskBlock, Keep: time.Duration(s.faults.UpTo(60)-1) * time.Second, Sync: s.faults.Chance(2)}
	l := &simulatedListener{conns: make(chan net.Conn), ended: make(chan struct{})}
	srv := &http.Server{Handler: s}
	served := make(chan struct{})
	go func() {
		defer close(served)
		srv.Serve(l)
	}()
	c, err := New(&Options{URL: "http://127.0.0.1:1/write", Timeout: 10 * time.Second})
	if err != nil {
		return err
	}
	c.transport.DialContext = s.dial(l)
	for n := s.faults.UpTo(3); n > 0 && err == nil; n-- {
		err = s.process(c, 5+s.faults.UpTo(30), n == 1)
	}
	srv.Close()
	<-served
	time.Sleep(time.Minute) // for handlers that sleep; a goroutine that is left after that is an error of synctest
	return errors.Join(err, s.check())
}

// TestSimulation is repeated with many seeds by make soak.
func TestSimulation(t *testing.T) {
	simulation.Run(t, "lib/remotewrite", func(t *testing.T, dir string, f *simulation.Faults) error {
		s := &simulated{t: t, dir: dir, faults: f}
		defer safefile.Observe(s.observe)()
		return s.run()
	})
}
