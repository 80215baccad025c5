package archive

import "pmtools/lib/pcp"

// AppendRecord appends a data record with the columns of r.
func AppendRecord(dst []byte, version int, r *pcp.Result) ([]byte, error) {
	return appendRecord(dst, version, r.Time, r.Sets, false)
}
