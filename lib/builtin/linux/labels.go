package linux

import (
	"strconv"
	"strings"

	"pmtools/lib/builtin/internal/procfs"
)

func (l *collector) label(t *procfs.Table, keys []string) func(inst int32) string {
	interrupts := t == l.Tables["interrupts"] || t == l.Tables["cpuinterrupts"]
	return func(inst int32) string {
		r, text := t.Find(inst), ""
		if r == nil {
			return ""
		}
		if interrupts { // the label is the text of the line in the file
			text = string(t.Cell(r, []byte("text")).Text)
		}
		return instLabels(keys, r.Name, text)
	}
}

// instLabels returns the labels of an instance: the parts of its name. A part for "#key" becomes a
// number, without its letters. A name with fewer parts has the last ones.
func instLabels(keys []string, name, text string) string {
	parts := strings.Split(name, "::")
	keys = keys[max(0, len(keys)-len(parts)):]
	var b strings.Builder
	for i, key := range keys {
		value := parts[i]
		if i == len(keys)-1 { // the last key gets the rest of the name
			value = strings.Join(parts[i:], "::")
		}
		if number, ok := strings.CutPrefix(key, "#"); ok {
			n, err := strconv.ParseUint(strings.TrimLeft(value, "abcdefghijklmnopqrstuvwxyz_"), 10, 32)
			if err != nil {
				continue
			}
			appendLabel(&b, number, strconv.FormatUint(n, 10))
			continue
		}
		appendLabel(&b, key, procfs.Quote(value))
	}
	if text != "" {
		appendLabel(&b, "irqtext", procfs.Quote(text))
	}
	if b.Len() == 0 {
		return ""
	}
	return b.String() + "}"
}

func appendLabel(b *strings.Builder, key, value string) {
	b.WriteByte("{,"[min(1, b.Len())])
	b.WriteString(procfs.Quote(key) + ":" + value)
}
