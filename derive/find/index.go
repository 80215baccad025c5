package find

import (
	"slices"
	"strings"
)

// An Index holds which words there are about each metric of a source.
type Index struct {
	cut bool // there are more metrics than an Index holds

	metrics []metric // ascending by name
	members [][]int32
	terms   map[string]int32 // of stems
	list    []term
	stems   string  // of all terms, each after a line feed
	starts  []int32 // of the stems of list
}

// A field is a place where words stand.
type field uint8

// The fields, those that say most about a metric first.
const (
	inLast field = iota // the last component of the name
	inFirst
	inName
	inInstance
	inLine
	inDefinition
	inLabel
	inHelp
)

// fields has the names of fields, and what a word in them weighs.
var fields = [...]struct {
	name   string
	weight float32
}{
	inLast: {"name", 10}, inFirst: {"name", 10}, inName: {"name", 8}, inInstance: {"instance", 6}, inLine: {"text", 5},
	inDefinition: {"definition", 3}, inLabel: {"label", 2}, inHelp: {"help", 2},
}

// nameFields is the mask of those of the name.
const nameFields = 1<<inLast | 1<<inFirst | 1<<inName

// A term is a stem, and where it stands.
type term struct {
	stem     string
	postings []posting // ascending by metric
	shared   []shared
}

// A posting is a metric, and below its number a mask of the fields that hold a term.
type posting uint32

// maskBits is the size of a posting's mask.
const maskBits = 8

func (p posting) metric() int32 { return int32(p >> maskBits) }
func (p posting) mask() uint8   { return uint8(p) }

// A shared posting is for all members of a group.
type shared struct {
	group int32
	field field
	text  string // in which the term stands
}

func newIndex() *Index { return &Index{terms: make(map[string]int32)} }

// term returns the term of a stem.
func (ix *Index) term(stem string) *term {
	i, known := ix.terms[stem]
	if !known {
		i = int32(len(ix.list))
		stem = strings.Clone(stem) // the text that it stands in need not stay
		ix.terms[stem] = i
		ix.list = append(ix.list, term{stem: stem})
	}
	return &ix.list[i]
}

// add notes that a word is in a field of the metric that was added last.
func (ix *Index) add(m int32, f field, stem string) {
	t := ix.term(stem)
	if n := len(t.postings); n > 0 && t.postings[n-1].metric() == m {
		t.postings[n-1] |= 1 << f
		return
	}
	t.postings = append(t.postings, posting(m)<<maskBits|1<<f)
}

// addName adds the words of a metric's name.
func (ix *Index) addName(m int32) {
	name, n := ix.metrics[m].name, 0
	last, first := strings.LastIndexByte(name, '.')+1, strings.IndexByte(name, '.')+1
	add := func(f field, part string) { words(part, func(w string) { ix.add(m, f, stem(w)); n++ }) }
	add(inFirst, name[:first])
	add(inName, name[first:last])
	add(inLast, name[last:])
	ix.metrics[m].words = uint8(min(n, 255))
}

// addText adds the words of a text about a metric.
func (ix *Index) addText(m int32, f field, text string) {
	words(text[:min(len(text), maxText)], func(w string) {
		if len(w) > 1 && !stop[w] {
			ix.add(m, f, stem(w))
		}
	})
}

// addGroup adds a group without members.
func (ix *Index) addGroup() int32 {
	ix.members = append(ix.members, nil)
	return int32(len(ix.members) - 1)
}

// addShared adds words about all members of a group. The words of a group in a field come one after
// the other.
func (ix *Index) addShared(g int32, f field, about, text string) {
	words(about[:min(len(about), maxText)], func(w string) {
		t := ix.term(stem(w))
		if n := len(t.shared); n == 0 || t.shared[n-1].group != g || t.shared[n-1].field != f {
			t.shared = append(t.shared, shared{g, f, text})
		}
	})
}

// finish makes an Index ready for questions.
func (ix *Index) finish() {
	var b strings.Builder
	ix.starts = make([]int32, len(ix.list))
	for i := range ix.list {
		b.WriteByte('\n')
		ix.starts[i] = int32(b.Len())
		b.WriteString(ix.list[i].stem)
	}
	b.WriteByte('\n')
	ix.stems = b.String()
}

// containing calls f for each term that has a part of at least one letter, and for the place of the part.
func (ix *Index) containing(part string, f func(t *term, at int)) {
	for from := 0; ; {
		i := strings.Index(ix.stems[from:], part)
		if i < 0 {
			return
		}
		at := int32(from + i)
		t, found := slices.BinarySearch(ix.starts, at)
		if !found {
			t--
		}
		f(&ix.list[t], int(at-ix.starts[t]))
		from = int(ix.starts[t]) + len(ix.list[t].stem)
	}
}
