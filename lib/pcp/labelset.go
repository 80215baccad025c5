package pcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"pmtools/internal/ctext"
	"pmtools/lib/pmerr"
)

// The limits of one label set.
const (
	maxLabels    = 255
	maxLabelText = 65535
	maxLabelName = 254
)

// MergeLabels returns the labels of all sets, ascending by name. Sets are given from the lowest
// precedence to the highest; the last label of a name replaces the earlier ones.
func MergeLabels(sets ...[]Label) []Label {
	n := 0
	for _, set := range sets {
		n += len(set)
	}
	merged := make([]Label, 0, n)
	for _, set := range slices.Backward(sets) {
		merged = append(merged, set...)
	}
	slices.SortStableFunc(merged, func(a, b Label) int { return cmp.Compare(a.Name, b.Name) })
	// The sort is stable: among equal names the label of the highest set comes first, and stays.
	return slices.CompactFunc(merged, func(a, b Label) bool { return a.Name == b.Name })
}

// WithoutOptional returns the labels that are part of a metric's identity.
func WithoutOptional(labels []Label) []Label {
	return slices.DeleteFunc(slices.Clone(labels), func(l Label) bool { return l.Flags&LabelOptional != 0 })
}

// AppendLabels appends labels to dst as compact JSON, in the order given.
func AppendLabels(dst []byte, labels []Label) []byte {
	dst = append(dst, '{')
	for i, l := range labels {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), l.Name...), `":`...)
		dst = append(dst, l.Value...)
	}
	return append(dst, '}')
}

// ParseLabels returns the labels in a JSON object, ascending by name, each with the given flags.
// Objects within it become labels with dotted names, which also have the flag LabelCompound. A
// label whose name is not made of letters, digits, underscores and dots is left out; a text without
// any valid label, a text that is not an object, and a name that occurs twice are pmerr.EINVAL. The
// empty text has no labels.
func ParseLabels(text string, flags uint8) ([]Label, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	if len(text) > maxLabelText {
		return nil, pmerr.TooBig
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil || text[0] != '{' {
		return nil, pmerr.EINVAL
	}
	p := labelParser{s: compact.String(), flags: flags}
	p.object("")
	if len(p.labels) > maxLabels {
		return nil, pmerr.TooBig
	}
	if len(p.labels) == 0 && p.dropped {
		return nil, pmerr.EINVAL
	}
	slices.SortFunc(p.labels, func(a, b Label) int { return cmp.Compare(a.Name, b.Name) })
	for i := 1; i < len(p.labels); i++ {
		if p.labels[i].Name == p.labels[i-1].Name {
			return nil, pmerr.EINVAL
		}
	}
	return p.labels, nil
}

// labelParser walks over a valid, compact JSON text.
type labelParser struct {
	s       string
	flags   uint8
	labels  []Label
	dropped bool // a label had a bad name
}

// object steps over the object at the start of s and takes its labels, with prefix before their names.
func (p *labelParser) object(prefix string) {
	p.s = p.s[1:]
	for p.s[0] != '}' {
		if p.s[0] == ',' {
			p.s = p.s[1:]
		}
		key := p.token()
		name := prefix + key[1:len(key)-1]
		p.s = p.s[1:] // the colon
		switch {
		case !validLabelName(name):
			p.dropped = true
			p.token()
		case p.s[0] == '{' && p.s[1] != '}':
			p.object(name + ".")
		default:
			l := Label{Name: name, Value: p.token(), Flags: p.flags}
			if prefix != "" || strings.Contains(name, ".") {
				l.Flags |= LabelCompound
			}
			p.labels = append(p.labels, l)
		}
	}
	p.s = p.s[1:]
}

func (p *labelParser) token() string {
	depth, i := 0, 0
	for {
		switch p.s[i] {
		case '"':
			for i++; p.s[i] != '"'; i++ {
				if p.s[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		i++
		// A number or a word has no end of its own.
		if depth == 0 && (i == len(p.s) || p.s[i-1] == '"' || strings.IndexByte(",:}]", p.s[i]) >= 0) {
			break
		}
	}
	s := p.s[:i]
	p.s = p.s[i:]
	return s
}

func validLabelName(name string) bool {
	if name == "" || len(name) > maxLabelName {
		return false
	}
	for i := range len(name) {
		if c := name[i]; c != '_' && c != '.' && !ctext.IsAlnum(c) {
			return false
		}
	}
	return true
}
