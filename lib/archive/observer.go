package archive

import (
	"pmtools/lib/pcp"
)

// An Observer is called for the records that are read, to find mistakes. Its functions may be nil,
// and must be safe for concurrent use.
type Observer struct {
	// File is called for each file that was opened, with its label.
	File func(path string, l *Label)
	// Metadata is called when the metadata of an archive was read.
	Metadata func(base string, c Counts)
	// Seek is called when the place of a time was found: volume and offset of the next record.
	Seek func(m pcp.Mode, t pcp.Timestamp, volume int32, offset int64)
	// Record is called for each record that is looked at. Size is the whole length in the file.
	Record func(back bool, volume int32, offset, size int64, t pcp.Timestamp)
	// Between is called for each instance that interpolation looked for: the times of the values
	// around the time, nil if there is none.
	Between func(id pcp.ID, inst int32, at pcp.Timestamp, low, high *pcp.Timestamp)
}

// Counts are the numbers of records of metadata.
type Counts struct{ Descs, InDoms, Labels, Texts int }
