package content

import (
	"bufio"
	"compress/bzip2"
	"errors"
	"io"
)

var errBzip2 = errors.New("no file of bzip2")

// streams unpacks a file of bzip2 by the rules of the program: bytes after a stream that do not begin
// another one are ignored. The library reads on after each stream, and has an error for such bytes;
// but if only one byte follows, that error equals the one for a stream which is cut short. So it gets two
// zeros more than there are bytes: a whole file ends with an error that no other file has.
type streams struct {
	in    *bufio.Reader
	z     io.Reader
	last  byte // of the file so far
	zeros int  // how many were added
}

func newStreams(in *bufio.Reader) (*streams, error) {
	head, err := in.Peek(4)
	switch {
	case err == io.EOF:
		return nil, io.ErrUnexpectedEOF
	case err != nil:
		return nil, err
	case string(head[:3]) != "BZh" || head[3] < '1' || head[3] > '9':
		return nil, errBzip2
	}
	s := &streams{in: in}
	s.z = bzip2.NewReader(struct {
		io.Reader
		io.ByteReader
	}{in, s})
	return s, nil
}

func (s *streams) ReadByte() (byte, error) {
	b, err := s.in.ReadByte()
	if err == io.EOF && s.zeros < 2 {
		s.zeros++
		return 0, nil
	}
	s.last = b
	return b, err
}

func (s *streams) Read(b []byte) (int, error) {
	n, err := s.z.Read(b)
	switch err {
	case bzip2.StructuralError("bad magic value in continuation file"):
		if s.zeros == 1 && s.last == 'B' {
			return n, io.ErrUnexpectedEOF
		}
		return n, io.EOF
	case bzip2.StructuralError("non-Huffman entropy encoding"), bzip2.StructuralError("invalid compression level"):
		if s.zeros == 0 {
			return n, io.EOF
		}
		return n, io.ErrUnexpectedEOF
	case io.EOF: // the zeros were taken for the end of a stream
		return n, io.ErrUnexpectedEOF
	}
	return n, err
}
