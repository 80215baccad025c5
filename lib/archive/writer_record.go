package archive

import (
	"pmtools/lib/internal/wire"
	"pmtools/lib/pcp"
)

// stored returns the identifier under which a metric is recorded: that of a
// derived metric has a mark (archive.md A11.9).
func stored(id pcp.ID) pcp.ID {
	if id.IsDerived() {
		return id | 2048<<10
	}
	return id
}

// AppendRecord appends a data record with the columns of r (archive.md A8). An
// error is a value that has no place in a record; dst is then returned as it was.
func AppendRecord(dst []byte, version int, r *pcp.Result) ([]byte, error) {
	return appendRecord(dst, version, r.Time, r.Sets, false)
}

// AppendMark appends a mark record.
func AppendMark(dst []byte, version int, t pcp.Timestamp) []byte {
	start := len(dst)
	dst = appendTime(beginRecord(dst), version, t)
	dst = be.AppendUint32(dst, 0)
	return endRecord(dst, start)
}

// appendRecord appends a data record: time, number of sets, the sets, and then
// the value blocks to which they point. Their indexes count as if two more words
// stood in front of the record.
func appendRecord(dst []byte, version int, t pcp.Timestamp, sets []pcp.Values, floatInSitu bool) ([]byte, error) {
	start := len(dst)
	dst = appendTime(beginRecord(dst), version, t)
	dst = be.AppendUint32(dst, uint32(len(sets)))
	w := wire.SetWriter{Bias: 2, ID: stored, FloatInSitu: floatInSitu}
	dst, err := w.Append(dst, start, sets)
	if err != nil {
		return dst[:start], err
	}
	return endRecord(dst, start), nil
}
