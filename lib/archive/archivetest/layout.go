package archivetest

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Field is a number or a piece of text in a file of an archive.
type Field struct {
	Name string // such as "desc.type", "set.count"
	Off  int    // its offset in the file
	Size int    // in bytes; numbers have at most 8
}

type layout struct {
	src     []byte
	version int
	records []int // offset of each record, the label first, and the end of the last one
	fields  []Field
	pos     int
}

// formats are the fields of records. A name by itself is a word of four bytes, name:N has N bytes, name:$
// as many as the previous word says, name:* the rest of the record; @name is a time stamp. name# is a
// count, and each *name after it repeats the field or format of that name as often.
var formats = map[string]string{
	"label2": "label.length label.magic label.pid @label.start label.volume label.host:64 label.zone:40 label.trailer",
	"label3": "label.length label.magic label.pid @label.start label.volume label.features label.reserved " +
		"label.host:256 label.zone:256 label.zoneinfo:256 label.trailer",
	"entry2":   "@entry.stamp entry.volume entry.meta entry.data",
	"entry3":   "@entry.stamp entry.volume entry.meta:8 entry.data:8",
	"meta1":    "desc.id desc.type desc.indom desc.sem desc.units desc.names# *name",
	"name":     "desc.namelength desc.name:$",
	"meta2":    "@indom.stamp indom.id indom.count# *indom.inst *indom.offset indom.names:*",
	"meta3":    "@labels.stamp labels.type labels.id labels.count# *labelset",
	"meta4":    "text.type text.id text.text:*",
	"meta5":    "@indom.stamp indom.id indom.count# *indom.inst *indom.offset indom.names:*",
	"meta6":    "@delta.stamp delta.id delta.count# *delta.inst *delta.offset delta.names:*",
	"meta7":    "@labels.stamp labels.type labels.id labels.count# *labelset",
	"labelset": "labels.inst labels.jsonlength labels.json:$ labels.labels# *label",
	"label":    "label.nameoffset:2 label.namelength:1 label.flags:1 label.valueoffset:2 label.valuelength:2",
}

func (l *layout) format(name string) string { return formats[name+strconv.Itoa(l.version)] }

func (l *layout) run(format string, end int) {
	last, n := 0, 0
	for _, f := range strings.Fields(format) {
		name, size, _ := strings.Cut(f, ":")
		counts := strings.TrimSuffix(name, "#")
		switch {
		case name[0] == '@':
			l.stamp(name[1:])
		case name[0] == '*':
			part, ok := formats[name[1:]]
			if !ok {
				part = name[1:]
			}
			for range n {
				l.run(part, end)
			}
		case counts != name:
			n = limited(l.word(counts), end-l.pos)
		case size == "":
			last = l.word(name)
		case size == "$":
			l.take(name, last)
		case size == "*":
			l.take(name, end-l.pos)
		default:
			bytes, _ := strconv.Atoi(size)
			l.take(name, bytes)
		}
	}
}

// newLayout returns the layout of a file with a suffix ("meta", "index" or a volume number). Its
// undecodable end is the field "rest".
func newLayout(suffix string, src []byte) *layout {
	l := &layout{src: src, version: 3}
	if len(src) > 8 && src[7] == 2 {
		l.version = 2
	}
	switch {
	case !l.label():
	case suffix == "index":
		for l.left() >= [4]int{2: 20, 3: 32}[l.version] {
			l.records = append(l.records, l.pos)
			l.run(l.format("entry"), len(src))
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

func (l *layout) left() int { return len(l.src) - l.pos }

func (l *layout) take(name string, size int) []byte {
	size = max(min(size, l.left()), 0)
	if size > 0 {
		l.fields = append(l.fields, Field{name, l.pos, size})
	}
	l.pos += size
	return l.src[l.pos-size : l.pos]
}

func (l *layout) word(name string) int {
	b := l.take(name, 4)
	if len(b) < 4 {
		return 0
	}
	return int(int32(binary.BigEndian.Uint32(b)))
}

func (l *layout) stamp(name string) {
	l.word(name + ".sec")
	if l.version == 3 {
		l.word(name + ".high")
	}
	l.word(name + ".frac")
}

func (l *layout) label() bool {
	size := [4]int{2: 132, 3: 808}[l.version]
	if l.left() < size {
		return false
	}
	l.records = append(l.records, 0)
	l.run(l.format("label"), size)
	return true
}

func (l *layout) framed(meta bool) bool {
	size := int(binary.BigEndian.Uint32(l.src[l.pos:]))
	if size < 8 || size > l.left() || size > math.MaxInt32 {
		return false
	}
	l.records = append(l.records, l.pos)
	end := l.pos + size - 4
	l.word("record.length")
	if meta {
		l.run(formats[fmt.Sprint("meta", l.word("meta.type"))], end)
	} else {
		l.dataBody(end)
	}
	l.take("rest", end-l.pos)
	l.word("record.trailer")
	return true
}

func (l *layout) dataBody(end int) {
	l.stamp("data.stamp")
	for range limited(l.word("data.sets"), end-l.pos) {
		l.word("set.id")
		n := l.word("set.count")
		if n <= 0 {
			continue
		}
		value := "set.block"
		if l.word("set.format") == 0 {
			value = "set.value"
		}
		for range limited(n, end-l.pos) {
			l.word("set.inst")
			l.word(value)
		}
	}
	for end-l.pos >= 4 {
		l.block(end)
	}
}

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

func (l *layout) events(highRes bool, end int) {
	size := 4
	if highRes {
		size = 8
	}
	for range limited(l.word("event.records"), end-l.pos) {
		l.take("event.sec", size)
		l.take("event.frac", size)
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

func limited(n, size int) int {
	if n < 0 || n > size {
		return 0
	}
	return n
}
