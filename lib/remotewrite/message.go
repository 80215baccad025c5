package remotewrite

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/klauspost/compress/snappy"
)

// This file writes the protobuf messages of remote write 1.0: WriteRequest, TimeSeries, Label,
// Sample and MetricMetadata.

// A Label is a name with a value. The name of the metric is the label __name__.
type Label struct{ Name, Value string }

// Labels are the encoded labels of a series, which tell it from all others.
type Labels string

// EncodeLabels encodes labels in the order of their names, as the protocol wants them. Those without
// a value are left out; of several with one name the last one counts.
func EncodeLabels(list ...Label) Labels {
	list = slices.Clone(list)
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b Label) int { return strings.Compare(a.Name, b.Name) })
	list = slices.CompactFunc(list, func(a, b Label) bool { return a.Name == b.Name })
	var out []byte
	for _, l := range list {
		if l.Value == "" {
			continue
		}
		label := appendText(nil, l.Name, 1)
		label = appendText(label, strings.ToValidUTF8(l.Value, "\uFFFD"), 2)
		out = appendText(out, label, 1)
	}
	return Labels(out)
}

// LabelName returns a text in the letters that a name of a label may have.
func LabelName(text string) string {
	name := strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '_' || 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9') {
			return r
		}
		return '_'
	}, text)
	if name == "" || '0' <= name[0] && name[0] <= '9' {
		return "_" + name
	}
	return name
}

// stale is the NaN that says that a series has ended. Others are sent as ordinary.
const (
	stale    = 0x7ff0000000000002
	ordinary = 0x7ff8000000000001
)

// Stale returns the value which says that a series has ended.
func Stale() float64 { return math.Float64frombits(stale) }

// A Request collects samples. Its zero value is empty.
type Request struct {
	body    []byte
	scratch []byte
	Samples int // how many it has
}

// Add adds a sample of a series, with its time in milliseconds since 1970.
func (r *Request) Add(series Labels, ms int64, value float64) {
	bits := math.Float64bits(value)
	if math.IsNaN(value) && bits != stale {
		bits = ordinary
	}
	s := append(r.scratch[:0], 1<<3|1)
	s = binary.LittleEndian.AppendUint64(s, bits)
	s = append(s, 2<<3)
	s = binary.AppendUvarint(s, uint64(ms))
	r.scratch = s
	head := binary.AppendUvarint([]byte{1<<3 | 2}, uint64(len(series)+2+len(s)))
	r.body = append(append(r.body, head...), series...)
	r.body = appendText(r.body, s, 2)
	r.Samples++
}

// A Kind is the type of a metric, as the protocol numbers it.
type Kind byte

// The kinds of metrics that we have.
const (
	Counter Kind = 1
	Gauge   Kind = 2
	Info    Kind = 6
)

// Metadata describe a metric.
type Metadata struct {
	Kind       Kind
	Name       string // as OpenMetrics calls the family: without _total and _info
	Help, Unit string
}

// Describe adds the description of a metric. A request needs a sample beside it.
func (r *Request) Describe(m *Metadata) {
	b := []byte{1 << 3, byte(m.Kind)}
	b = appendText(b, m.Name, 2)
	b = appendText(b, strings.ToValidUTF8(m.Help, "\uFFFD"), 4)
	b = appendText(b, m.Unit, 5)
	r.body = appendText(r.body, b, 3)
}

// Len returns how many bytes the message has.
func (r *Request) Len() int { return len(r.body) }

// Take returns the message as it is sent, compressed, and makes the request empty.
func (r *Request) Take() []byte {
	out := snappy.Encode(nil, r.body)
	r.body, r.Samples = r.body[:0], 0
	return out
}

// appendText appends a field of bytes.
func appendText[T string | []byte](b []byte, text T, field byte) []byte {
	b = append(b, field<<3|2)
	b = binary.AppendUvarint(b, uint64(len(text)))
	return append(b, text...)
}
