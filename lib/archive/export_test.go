package archive

import "pmtools/lib/pcp"

// The records of archives, for tests that make archives of their own.
var (
	AppendIndexEntry = appendIndexEntry
	AppendInDom      = appendInDom
	AppendLabel      = appendLabel
	AppendLabels     = appendLabels
	AppendDesc       = appendDesc
	AppendText       = appendText
	AppendMark       = appendMark
)

// AppendRecord appends a data record with the columns of r.
func AppendRecord(dst []byte, version int, r *pcp.Result) ([]byte, error) {
	return appendRecord(dst, version, r.Time, r.Sets, false)
}
