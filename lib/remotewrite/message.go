package remotewrite

import (
	"encoding/binary"
	"fmt"
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

// EncodeLabels encodes labels in the order of their names, as the protocol demands. It leaves out labels
// without a value; of several with one name the last one counts.
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

// ParseLabels returns the labels in texts NAME=VALUE. Names that begin with __ are Prometheus's own.
func ParseLabels(texts []string) (list []Label, err error) {
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" || LabelName(name) != name || strings.HasPrefix(name, "__") {
			return nil, fmt.Errorf("%s is not NAME=VALUE, with letters, digits and _ in the name", text)
		}
		list = append(list, Label{name, value})
	}
	return list, nil
}

// LabelName returns a text with each character that the name of a label cannot have replaced by _.
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

// stale is the NaN that ends a series. All others are sent as ordinary.
const (
	stale    = 0x7ff0000000000002
	ordinary = 0x7ff8000000000001
)

// Stale returns the value that ends a series.
func Stale() float64 { return math.Float64frombits(stale) }

// A Request collects samples series by series. Its zero value is empty.
type Request struct {
	Samples int // the number of samples

	index  map[Labels]int
	series []timeSeries
	meta   []byte // descriptions
	size   int    // of the message, about
	body   []byte // of the last message: its memory is reused
}

type timeSeries struct {
	labels  Labels
	samples []byte
}

// Add adds a sample of a series, with its time in milliseconds since 1970. The samples of a series keep
// the order in which they are added.
func (r *Request) Add(series Labels, ms int64, value float64) {
	i, ok := r.index[series]
	if !ok {
		i = r.newSeries(series)
	}
	bits := math.Float64bits(value)
	if math.IsNaN(value) && bits != stale {
		bits = ordinary
	}
	var scratch [24]byte
	s := binary.LittleEndian.AppendUint64(append(scratch[:0], 1<<3|1), bits)
	s = binary.AppendUvarint(append(s, 2<<3), uint64(ms))
	t := &r.series[i]
	t.samples = appendText(t.samples, s, 2)
	r.size += len(s) + 2
	r.Samples++
}

// newSeries reuses the memory of an earlier series.
func (r *Request) newSeries(labels Labels) (index int) {
	if r.index == nil {
		r.index = make(map[Labels]int)
	}
	index = len(r.series)
	if index < cap(r.series) {
		r.series = r.series[:index+1]
	} else {
		r.series = append(r.series, timeSeries{})
	}
	t := &r.series[index]
	t.labels, t.samples = labels, t.samples[:0]
	r.index[labels] = index
	r.size += len(labels) + 4
	return index
}

// A Kind is the type of a metric, as the protocol numbers it.
type Kind byte

// The kinds of PCP's metrics.
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

// Describe adds the description of a metric. A request with descriptions needs a sample too.
func (r *Request) Describe(m *Metadata) {
	b := []byte{1 << 3, byte(m.Kind)}
	b = appendText(b, m.Name, 2)
	b = appendText(b, strings.ToValidUTF8(m.Help, "\uFFFD"), 4)
	b = appendText(b, m.Unit, 5)
	r.meta = appendText(r.meta, b, 3)
}

// Len returns the length of the message in bytes, about.
func (r *Request) Len() int { return r.size + len(r.meta) }

// Take returns the message as it is sent, compressed, and makes the request empty.
func (r *Request) Take() []byte {
	out := snappy.Encode(nil, r.message())
	clear(r.index)
	r.series, r.meta, r.size, r.Samples = r.series[:0], r.meta[:0], 0, 0
	return out
}

func (r *Request) message() []byte {
	b := r.body[:0]
	for i := range r.series {
		t := &r.series[i]
		b = binary.AppendUvarint(append(b, 1<<3|2), uint64(len(t.labels)+len(t.samples)))
		b = append(append(b, t.labels...), t.samples...)
	}
	r.body = append(b, r.meta...)
	return r.body
}

func appendText[T string | []byte](b []byte, text T, field byte) []byte {
	b = append(b, field<<3|2)
	b = binary.AppendUvarint(b, uint64(len(text)))
	return append(b, text...)
}
