package remotewrite

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
)

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
		label = appendText(label, valid(l.Value), 2)
		out = appendText(out, label, 1)
	}
	return Labels(out)
}

// All yields the names and values in the order of the names, as far as they can be read.
func (l Labels) All() iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		field := func(text *string) (string, bool) {
			if len(*text) < 2 {
				return "", false
			}
			n, size := binary.Uvarint([]byte((*text)[1:min(len(*text), 1+binary.MaxVarintLen64)]))
			if size <= 0 || n > uint64(len(*text)-1-size) {
				return "", false
			}
			from := 1 + size
			value := (*text)[from : from+int(n)]
			*text = (*text)[from+int(n):]
			return value, true
		}
		for rest := string(l); rest != ""; {
			label, ok := field(&rest)
			name, named := field(&label)
			value, valued := field(&label)
			if !ok || !named || !valued || !yield(name, value) {
				return
			}
		}
	}
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
