package content

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
)

var errGzip = errors.New("damaged file of gzip")

// reservedFlags are the bits of a member's flags that gzip rejects: encryption and unassigned bits.
const reservedFlags = 0xe0

// members unpacks a file of gzip by the rules of the program: zeros after the last member are skipped,
// other bytes there are an error.
type members struct {
	in *bufio.Reader
	z  gzip.Reader
}

func newMembers(in *bufio.Reader) (*members, error) {
	m := &members{in: in}
	return m, m.head()
}

func (m *members) Read(b []byte) (int, error) {
	for {
		n, err := m.z.Read(b)
		if err != io.EOF {
			return n, err
		}
		if n > 0 { // the library says again that the member ends
			return n, nil
		}
		if err := m.next(); err != nil {
			return 0, err
		}
	}
}

// next starts the next member; after the last one it returns io.EOF.
func (m *members) next() error {
	b, err := m.in.Peek(1)
	if err == nil && b[0] != 0 {
		return m.head()
	}
	for err == nil {
		var b byte
		if b, err = m.in.ReadByte(); b != 0 {
			return errGzip
		}
	}
	return err
}

func (m *members) head() error {
	if b, err := m.in.Peek(4); err == nil && b[3]&reservedFlags != 0 {
		return errGzip
	}
	err := m.z.Reset(m.in)
	m.z.Multistream(false)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}
