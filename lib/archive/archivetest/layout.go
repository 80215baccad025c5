package archivetest

import (
	"encoding/binary"
	"math"
)

// A Field is a number or a piece of text in a file of an archive.
type Field struct {
	Name string // such as "desc.type", "set.count"
	Off  int    // its place in the file
	Size int    // in bytes; numbers have at most 8
}

// A layout is what a file consists of.
type layout struct {
	src     []byte
	version int
	records []int // where each record begins, the label first, and the end of the last one
	fields  []Field
	pos     int
}

// newLayout returns the layout of a file with that suffix ("meta", "index" or a
// volume number). What cannot be made out at the end of a file is one field "rest".
func newLayout(suffix string, src []byte) *layout {
	l := &layout{src: src, version: 3}
	if len(src) > 8 && src[7] == 2 {
		l.version = 2
	}
	switch {
	case !l.label():
	case suffix == "index":
		for l.left() >= l.entrySize() {
			l.entry()
		}
	default:
		for l.left() >= 8 && l.framed(suffix == "meta") {
		}
	}
	l.records = append(l.records, l.pos)
	if l.left() > 0 {
		l.take("rest", l.left())
	}
	return l
}

// left returns how many bytes are left.
func (l *layout) left() int { return len(l.src) - l.pos }

// take takes a field of so many bytes, or what there is of it.
func (l *layout) take(name string, size int) []byte {
	size = max(min(size, l.left()), 0)
	if size > 0 {
		l.fields = append(l.fields, Field{name, l.pos, size})
	}
	l.pos += size
	return l.src[l.pos-size : l.pos]
}

// word takes a field of four bytes.
func (l *layout) word(name string) int {
	b := l.take(name, 4)
	if len(b) < 4 {
		return 0
	}
	return int(int32(binary.BigEndian.Uint32(b)))
}

// stamp takes a time stamp.
func (l *layout) stamp(name string) {
	l.word(name + ".sec")
	if l.version == 3 {
		l.word(name + ".high")
	}
	l.word(name + ".frac")
}

// label takes the label.
func (l *layout) label() bool {
	size := labelSizes[l.version]
	if l.left() < size {
		return false
	}
	l.records = append(l.records, 0)
	for _, name := range []string{"label.length", "label.magic", "label.pid"} {
		l.word(name)
	}
	l.stamp("label.start")
	l.word("label.volume")
	if l.version == 2 {
		l.take("label.host", 64)
		l.take("label.zone", 40)
	} else {
		l.word("label.features")
		l.word("label.reserved")
		for _, name := range []string{"label.host", "label.zone", "label.zoneinfo"} {
			l.take(name, 256)
		}
	}
	l.word("label.trailer")
	return true
}

// labelSizes are the sizes of a label by version.
var labelSizes = [4]int{2: 132, 3: 808}

// entrySize returns the size of an entry of the index.
func (l *layout) entrySize() int { return [4]int{2: 20, 3: 32}[l.version] }

// entry takes an entry of the index.
func (l *layout) entry() {
	l.records = append(l.records, l.pos)
	l.stamp("entry.stamp")
	l.word("entry.volume")
	size := [4]int{2: 4, 3: 8}[l.version]
	l.take("entry.meta", size)
	l.take("entry.data", size)
}

// framed takes a record between its lengths, if there is a whole one.
func (l *layout) framed(meta bool) bool {
	size := int(binary.BigEndian.Uint32(l.src[l.pos:]))
	if size < 8 || size > l.left() || size > math.MaxInt32 {
		return false
	}
	l.records = append(l.records, l.pos)
	end := l.pos + size - 4
	l.word("record.length")
	if meta {
		l.metaBody(end)
	} else {
		l.dataBody(end)
	}
	if l.pos < end {
		l.take("rest", end-l.pos)
	}
	l.word("record.trailer")
	return true
}

// metaBody takes a record of metadata.
func (l *layout) metaBody(end int) {
	switch kind := l.word("meta.type"); kind {
	case 1:
		for _, name := range []string{"desc.id", "desc.type", "desc.indom", "desc.sem", "desc.units"} {
			l.word(name)
		}
		for range limited(l.word("desc.names"), end-l.pos) {
			l.take("desc.name", l.word("desc.namelength"))
		}
	case 2, 5, 6:
		name := [...]string{2: "indom", 5: "indom", 6: "delta"}[kind]
		l.stamp(name + ".stamp")
		l.word(name + ".id")
		n := limited(l.word(name+".count"), end-l.pos)
		for range n {
			l.word(name + ".inst")
		}
		for range n {
			l.word(name + ".offset")
		}
		l.take(name+".names", end-l.pos)
	case 3, 7:
		l.stamp("labels.stamp")
		l.word("labels.type")
		l.word("labels.id")
		for range limited(l.word("labels.count"), end-l.pos) {
			l.labelSet(end)
		}
	case 4:
		l.word("text.type")
		l.word("text.id")
		l.take("text.text", end-l.pos)
	}
}

// labelSet takes a set of labels.
func (l *layout) labelSet(end int) {
	l.word("labels.inst")
	l.take("labels.json", l.word("labels.jsonlength"))
	for range limited(l.word("labels.labels"), end-l.pos) {
		l.take("label.nameoffset", 2)
		l.take("label.namelength", 1)
		l.take("label.flags", 1)
		l.take("label.valueoffset", 2)
		l.take("label.valuelength", 2)
	}
}

// dataBody takes a record of values.
func (l *layout) dataBody(end int) {
	l.stamp("data.stamp")
	for range limited(l.word("data.sets"), end-l.pos) {
		l.word("set.id")
		n := l.word("set.count")
		if n <= 0 {
			continue
		}
		inSitu := l.word("set.format") == 0
		for range limited(n, end-l.pos) {
			l.word("set.inst")
			if inSitu {
				l.word("set.value")
			} else {
				l.word("set.block")
			}
		}
	}
	for end-l.pos >= 4 {
		l.block(end)
	}
}

// block takes a value block.
func (l *layout) block(end int) {
	head := l.src[l.pos : l.pos+4]
	body := min(int(binary.BigEndian.Uint32(head)&0xffffff)-4, end-l.pos-4)
	kind := head[0]
	l.take("block.type", 1)
	l.take("block.length", 3)
	first := l.pos
	if kind == 9 || kind == 10 {
		l.events(kind == 10, l.pos+body)
	}
	if rest := first + body - l.pos; rest > 0 {
		l.take("block.value", rest)
	}
	if pad := -body & 3; pad > 0 {
		l.take("block.padding", min(pad, end-l.pos))
	}
}

// events takes an array of event records.
func (l *layout) events(highRes bool, end int) {
	for range limited(l.word("event.records"), end-l.pos) {
		if highRes {
			l.take("event.sec", 8)
			l.take("event.frac", 8)
		} else {
			l.word("event.sec")
			l.word("event.frac")
		}
		missed := l.word("event.flags") < 0
		n := l.word("event.params")
		if missed {
			continue
		}
		for range limited(n, end-l.pos) {
			l.word("param.id")
			l.take("param.type", 1)
			b := l.take("param.length", 3)
			if len(b) < 3 {
				return
			}
			size := int(b[0])<<16 | int(b[1])<<8 | int(b[2])
			l.take("param.value", min((size+3)&^3-4, end-l.pos))
		}
	}
}

// limited returns n if so many things can be in size bytes, else 0.
func limited(n, size int) int {
	if n < 0 || n > size {
		return 0
	}
	return n
}
