package pdu

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"
	"testing/iotest"
)

// A script returns its bytes in chunks; an empty chunk is a read that the deadline ends.
type script struct {
	chunks []string
	end    error
}

// Read implements io.Reader.
func (s *script) Read(p []byte) (int, error) {
	if len(s.chunks) == 0 {
		return 0, s.end
	}
	n := copy(p, s.chunks[0])
	if n == 0 {
		s.chunks = s.chunks[1:]
		return 0, os.ErrDeadlineExceeded
	}
	if s.chunks[0] = s.chunks[0][n:]; s.chunks[0] == "" {
		s.chunks = s.chunks[1:]
	}
	return n, nil
}

// Two messages: one with four bytes, one with none.
const (
	four = "\x00\x00\x00\x10\x00\x00\x70\x00\x00\x00\x00\x07\x01\x02\x03\x04"
	none = "\x00\x00\x00\x0c\x00\x00\x12\x34\xff\xff\xff\xff"
)

// readAll returns the results of Next as text, until an error other than a deadline.
func readAll(r *Reader) (got string, deadlines int, err error) {
	for {
		f, err := r.Next()
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			deadlines++
		case err != nil:
			return got, deadlines, err
		default:
			got += f.Type.String() + " " + string('0'+rune(f.From&7)) + " " + string(f.Body) + ";"
		}
	}
}

func TestReaderChunks(t *testing.T) {
	const both = "ERROR 7 \x01\x02\x03\x04;TYPE-4660? 7 ;"
	for _, row := range []struct {
		name      string
		chunks    []string
		deadlines int
		want      string
		err       error
	}{
		{"nothing", nil, 0, "", io.EOF},
		{"in one", []string{four + none}, 0, both, io.EOF},
		{"one by one", []string{four, none}, 0, both, io.EOF},
		{"one and a half", []string{four + none[:5], none[5:]}, 0, both, io.EOF},
		{"deadline before", []string{"", four + none}, 1, both, io.EOF},
		{"deadline within the header", []string{four[:3], "", four[3:] + none}, 1, both, io.EOF},
		{"deadline after the header", []string{four[:12], "", four[12:] + none}, 1, both, io.EOF},
		{"deadlines within the body", []string{four[:13], "", four[13:14], "", "", four[14:] + none}, 3, both, io.EOF},
		{"deadline between", []string{four, "", none}, 1, both, io.EOF},
		{"cut in the header", []string{four + none[:11]}, 0, both[:13], io.ErrUnexpectedEOF},
		{"cut in the body", []string{four[:15]}, 0, "", io.ErrUnexpectedEOF},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, deadlines, err := readAll(NewReader(&script{row.chunks, io.EOF}))
			if got != row.want || deadlines != row.deadlines || err != row.err {
				t.Errorf("got %q, %d deadlines, error %v, want %q, %d, %v", got, deadlines, err, row.want, row.deadlines, row.err)
			}
		})
	}
	for name, r := range map[string]io.Reader{
		"byte by byte":       iotest.OneByteReader(bytes.NewReader([]byte(four + none))),
		"halves":             iotest.HalfReader(bytes.NewReader([]byte(four + none))),
		"error with the end": iotest.DataErrReader(bytes.NewReader([]byte(four + none))),
	} {
		if got, _, err := readAll(NewReader(r)); got != both || err != io.EOF {
			t.Errorf("%s: %q, error %v", name, got, err)
		}
	}
}

func TestReaderErrors(t *testing.T) {
	broken := errors.New("broken")
	for _, row := range []struct {
		name string
		in   string
		max  int
		want error
	}{
		{"shorter than its header", "\x00\x00\x00\x0b\x00\x00\x70\x00\x00\x00\x00\x00", 0, ErrFormat},
		{"length zero", "\x00\x00\x00\x00\x00\x00\x70\x00\x00\x00\x00\x00", 0, ErrFormat},
		{"negative length", "\xff\xff\xff\xff\x00\x00\x70\x00\x00\x00\x00\x00", 0, ErrFormat},
		{"negative type", "\x00\x00\x00\x0c\xff\xff\x70\x00\x00\x00\x00\x00", 0, ErrFormat},
		{"longer than the default", "\x10\x00\x00\x01\x00\x00\x70\x00\x00\x00\x00\x00", 0, ErrFormat},
		{"longer than allowed", four, 15, ErrFormat},
		{"as long as allowed", four, 16, io.EOF},
		{"error of the stream", "", 0, broken},
	} {
		t.Run(row.name, func(t *testing.T) {
			end := io.EOF
			if row.want == broken {
				end = broken
			}
			r := NewReader(&script{chunks: []string{row.in}[:min(1, len(row.in))], end: end})
			r.MaxLen = row.max
			if _, _, err := readAll(r); !errors.Is(err, row.want) {
				t.Errorf("error %v, want %v", err, row.want)
			}
		})
	}
}

// idle is a stream that gives neither bytes nor an error.
type idle struct{}

// Read implements io.Reader.
func (idle) Read([]byte) (int, error) { return 0, nil }

func TestReaderNoProgress(t *testing.T) {
	if _, err := NewReader(idle{}).Next(); err != io.ErrNoProgress {
		t.Errorf("error %v, want %v", err, io.ErrNoProgress)
	}
}

// TestReaderAnnounced reads a header that announces two gigabytes.
func TestReaderAnnounced(t *testing.T) {
	const head = "\x7f\xff\xff\xff\x00\x00\x70\x01\x00\x00\x00\x00some bytes"
	r := NewReader(&script{[]string{head}, io.EOF})
	r.MaxLen = 1<<31 - 1
	if _, err := r.Next(); err != io.ErrUnexpectedEOF {
		t.Errorf("error %v, want %v", err, io.ErrUnexpectedEOF)
	}
	if !r.Started() || len(r.mem) > minBuffer {
		t.Errorf("started %t, buffer of %d bytes", r.Started(), len(r.mem))
	}
}

// TestReaderShrinks reads a large message and then small ones.
func TestReaderShrinks(t *testing.T) {
	large := append([]byte("\x00\x01\x00\x00\x00\x00\x70\x01\x00\x00\x00\x00"), make([]byte, 1<<16-HeaderSize)...)
	for _, row := range []struct {
		name  string
		small int // messages that follow
		kept  bool
	}{
		{"none", 0, true}, {"a few", patience - 1, true}, {"many", patience + 1, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := &script{chunks: []string{string(large)}, end: io.EOF}
			for range row.small {
				s.chunks = append(s.chunks, four)
			}
			r := NewReader(s)
			got, _, err := readAll(r)
			if err != io.EOF || len(got) < 1<<16-HeaderSize {
				t.Fatalf("%d bytes, error %v", len(got), err)
			}
			if kept := len(r.mem) > keepBuffer; kept != row.kept {
				t.Errorf("buffer of %d bytes is kept", len(r.mem))
			}
		})
	}
}

// TestReaderAllocs reads messages of one size again and again.
func TestReaderAllocs(t *testing.T) {
	var in bytes.Reader
	r := NewReader(&in)
	data := []byte(four + none)
	if n := testing.AllocsPerRun(100, func() {
		in.Reset(data)
		for range 2 {
			if _, err := r.Next(); err != nil {
				t.Fatal(err)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzReader reads a stream in one piece and in small pieces: the messages are the same, and make
// up the bytes read.
func FuzzReader(f *testing.F) {
	f.Add([]byte(four+none), byte(3))
	f.Add([]byte(none+four[:14]), byte(1))
	f.Add([]byte("\x7f\xff\xff\xff\x00\x00\x70\x01\x00\x00\x00\x00"), byte(0))
	f.Add([]byte{}, byte(0))
	f.Fuzz(func(t *testing.T, in []byte, size byte) {
		s := &script{end: io.EOF}
		for rest := in; len(rest) > 0; {
			n := min(int(size)+1, len(rest))
			s.chunks, rest = append(s.chunks, string(rest[:n])), rest[n:]
		}
		whole, pieces := NewReader(bytes.NewReader(in)), NewReader(s)
		used := 0
		for {
			a, errA := whole.Next()
			b, errB := pieces.Next()
			if (errA == nil) != (errB == nil) || errA != nil && errA.Error() != errB.Error() {
				t.Fatalf("error %v whole, %v in pieces", errA, errB)
			}
			if errA != nil {
				break
			}
			if a.Type != b.Type || a.From != b.From || !bytes.Equal(a.Body, b.Body) {
				t.Fatalf("message %v whole, %v in pieces", a, b)
			}
			if used += HeaderSize; !bytes.Equal(a.Body, in[used:used+len(a.Body)]) {
				t.Fatalf("body %x is not what stands at %d", a.Body, used)
			}
			used += len(a.Body)
		}
	})
}

func BenchmarkReader(b *testing.B) {
	msg := append([]byte("\x00\x00\x10\x00\x00\x00\x70\x01\x00\x00\x00\x00"), make([]byte, 1<<12-HeaderSize)...)
	stream := bytes.Repeat(msg, 16)
	var in bytes.Reader
	r := NewReader(&in)
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		in.Reset(stream)
		for range 16 {
			if _, err := r.Next(); err != nil {
				b.Fatal(err)
			}
		}
	}
}
