package archive

import (
	"fmt"
	"math"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// WriterOptions control how an archive is written. Nil means the zero value: a version 3 archive
// without a host name, in UTC.
type WriterOptions struct {
	Version  int           // 2 or 3; 0 means 3
	Host     string        // the host the values come from; at most 255 bytes, in version 2 63
	Zone     string        // time zone in the form of TZ, default "UTC"; at most 255 bytes, in version 2 39
	ZoneInfo string        // name of the zone (":Europe/Paris"), at most 255 bytes; not kept in version 2
	PID      int32         // the process that writes; any number
	Features uint32        // the feature bits of the label, version 3 only
	Start    pcp.Timestamp // the start in the label; zero means the time of the first record

	// VolumeBytes is the size at which a new data volume begins; 0 means never. A volume holds at
	// least one record. In version 2 the limit is 2 GiB in any case.
	VolumeBytes int64

	// FloatInSitu writes values of type Float in the value sets, as in archives of the nineties,
	// instead of in value blocks.
	FloatInSitu bool

	// Sync makes Sync and Close return when the archive is on the disk. Readers see new entries of the temporal
	// index after that only, so that a loss of power leaves none of records that are not there.
	Sync bool
}

// maxV2 is the largest offset or length in a version 2 archive (archive.md A18.6).
const maxV2 = math.MaxInt32

// indexBytes is the amount of data after which a temporal index entry is due (archive.md A18.4).
const indexBytes = 100_000

// A Writer writes a new archive: metadata by AddMetric, SetInDom, SetLabels and SetText, records by
// Put and Mark, and finally Close. Time must not go back, and metadata must precede the first
// record that needs it.
//
// After an error of the file system all calls return it. A bad argument is an error and changes
// nothing. A Writer must not be shared by goroutines.
type Writer struct {
	opt  WriterOptions
	base string
	err  error // the first error of the file system, or fs.ErrClosed

	meta, index, data outFile
	volume            int32
	early             []byte // metadata that waits for the first record

	started    bool          // the labels are written
	last       pcp.Timestamp // time of the last record
	metaFirst  pcp.Timestamp // time of the first metadata record that has one
	metaLast   pcp.Timestamp // time of the last metadata record
	metaTimed  bool          // there is one
	metaMark   int64         // end of the metadata that belongs to records already written
	lastStart  int64         // offset in the volume of the last record
	indexed    int64         // offset in the volume of the last indexed record, -1 if there is none
	indexAt    pcp.Timestamp // time of the last index entry
	indexStart bool          // there is an index entry

	metrics map[pcp.ID]*metricState
	indoms  map[pcp.InDom][]pcp.Instance
	labels  map[labelIdent][]byte
	texts   map[textIdent]string
	records uint64
	buf     []byte
}

type metricState struct {
	desc  pcp.Desc
	names map[string]bool
	seen  uint64 // the number of the last record it was in
}

// Create begins an archive with the files base.meta, base.index and base.0. None of that name may
// exist, compressed or not, nor another volume: the error is fs.ErrExist. The label is written with
// the first record and has its time (archive.md A18.1).
func Create(base string, opt *WriterOptions) (*Writer, error) {
	w := &Writer{
		base:    base,
		indexed: -1,
		metrics: make(map[pcp.ID]*metricState),
		indoms:  make(map[pcp.InDom][]pcp.Instance),
		labels:  make(map[labelIdent][]byte),
		texts:   make(map[textIdent]string),
	}
	if opt != nil {
		w.opt = *opt
	}
	if err := w.opt.check(); err != nil {
		return nil, err
	}
	if err := vacant(base); err != nil {
		return nil, err
	}
	files := []struct {
		v      *outFile
		suffix string
	}{{&w.meta, ".meta"}, {&w.index, ".index"}, {&w.data, ".0"}}
	for _, f := range files {
		if err := f.v.create(base + f.suffix); err != nil {
			w.discard()
			return nil, err
		}
	}
	label := int64(labelSize(w.opt.Version))
	w.meta.size, w.metaMark = label, label
	return w, nil
}

// check fills in the defaults and checks the limits.
func (o *WriterOptions) check() error {
	if o.Version == 0 {
		o.Version = 3
	}
	if o.Zone == "" {
		o.Zone = "UTC"
	}
	host, zone := 255, 255
	switch o.Version {
	case 2:
		host, zone = 63, 39
		o.ZoneInfo, o.Features = "", 0
		if o.VolumeBytes == 0 || o.VolumeBytes > maxV2 {
			o.VolumeBytes = maxV2
		}
	case 3:
	default:
		return fmt.Errorf("%w: archive version %d, not 2 or 3", pmerr.EINVAL, o.Version)
	}
	switch {
	case len(o.Host) > host:
		return fmt.Errorf("%w: host name of %d bytes, more than %d", pmerr.TooBig, len(o.Host), host)
	case len(o.Zone) > zone:
		return fmt.Errorf("%w: time zone of %d bytes, more than %d", pmerr.TooBig, len(o.Zone), zone)
	case len(o.ZoneInfo) > zone:
		return fmt.Errorf("%w: zone name of %d bytes, more than %d", pmerr.TooBig, len(o.ZoneInfo), zone)
	case o.VolumeBytes < 0:
		return fmt.Errorf("%w: volume size %d", pmerr.EINVAL, o.VolumeBytes)
	}
	if o.Start != (pcp.Timestamp{}) {
		t, err := o.clip(o.Start)
		o.Start = t
		return err
	}
	return nil
}

// clip returns t as the archive stores it: version 2 has microseconds and 32 bits of seconds.
func (o *WriterOptions) clip(t pcp.Timestamp) (pcp.Timestamp, error) {
	if t.Nsec < 0 || t.Nsec > 999_999_999 {
		return t, fmt.Errorf("%w: %d nanoseconds", pmerr.EINVAL, t.Nsec)
	}
	if o.Version == 2 {
		if t.Sec != int64(int32(t.Sec)) {
			return t, fmt.Errorf("%w: time %d does not fit version 2", pmerr.TooBig, t.Sec)
		}
		t.Nsec -= t.Nsec % 1000
	}
	return t, nil
}

// Put appends a record of all columns of r, at least one. Each metric must have been added and may
// occur once; a column with values must have the type of its metric. A Blob of an event type is the
// content of the value block in wire format.
func (w *Writer) Put(r *pcp.Result) error {
	if w.err != nil {
		return w.err
	}
	t, err := w.recordTime(r.Time)
	if err != nil {
		return err
	}
	if len(r.Sets) == 0 {
		return fmt.Errorf("%w: record without metrics", pmerr.TooSmall)
	}
	w.records++
	for i := range r.Sets {
		if err := w.checkSet(&r.Sets[i]); err != nil {
			return err
		}
	}
	w.buf, err = appendRecord(w.buf[:0], w.opt.Version, t, r.Sets, w.opt.FloatInSitu)
	if err != nil {
		return err
	}
	return w.put(t)
}

func (w *Writer) checkSet(v *pcp.Values) error {
	m := w.metrics[stored(v.ID)]
	switch {
	case m == nil:
		return fmt.Errorf("%w: %v", pmerr.PMIDLog, v.ID)
	case m.seen == w.records:
		return fmt.Errorf("%w: %v twice in a record", pmerr.EINVAL, v.ID)
	case v.Len() > 0 && v.Type != m.desc.Type:
		return fmt.Errorf("%w: %v is of type %v, not %v", pmerr.Type, v.ID, m.desc.Type, v.Type)
	}
	m.seen = w.records
	return nil
}

// Mark appends a mark record: logging was interrupted here. Its time must be later than that of the
// last record; one millisecond later is usual (archive.md A18.5).
func (w *Writer) Mark(t pcp.Timestamp) error {
	if w.err != nil {
		return w.err
	}
	t, err := w.recordTime(t)
	switch {
	case err != nil:
		return err
	case !w.started:
		return fmt.Errorf("%w: mark before the first record", pmerr.EINVAL)
	case t == w.last:
		return fmt.Errorf("%w: mark at the time of the last record", pmerr.EINVAL)
	}
	w.buf = appendMark(w.buf[:0], w.opt.Version, t)
	return w.put(t)
}

func (w *Writer) recordTime(t pcp.Timestamp) (pcp.Timestamp, error) {
	t, err := w.opt.clip(t)
	switch {
	case err != nil:
		return t, err
	case w.started && t.Compare(w.last) < 0:
		return t, fmt.Errorf("%w: record at %v after one at %v", pmerr.EINVAL, t, w.last)
	case w.metaTimed && t.Compare(w.metaLast) < 0:
		return t, fmt.Errorf("%w: record at %v after metadata of %v", pmerr.EINVAL, t, w.metaLast)
	case !w.started && w.opt.Start == (pcp.Timestamp{}) && w.metaTimed && w.metaFirst != t:
		return t, fmt.Errorf("%w: metadata of %v before the start of the archive", pmerr.EINVAL, w.metaFirst)
	case w.opt.Start != (pcp.Timestamp{}) && t.Compare(w.opt.Start) < 0:
		return t, fmt.Errorf("%w: record at %v before the start of the archive", pmerr.EINVAL, t)
	}
	return t, nil
}
