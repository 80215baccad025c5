package procfs

import (
	"slices"
	"strconv"
	"strings"

	"pmtools/lib/pcp"
)

// instLabels returns a function that returns the labels of a table's row. Names consist of parts between "::", with a key for each; a name
// with fewer parts has the last keys. For "#key" the label is the number in the part, for "+key" the part without leading letters. For
// "key=cell" it is a text cell of the row, which may be empty.
func instLabels(t *Table, keys []string) func(inst int32) string {
	for _, key := range keys {
		if _, cell, ok := strings.Cut(key, "="); ok {
			t.Slot(cell)
		}
	}
	return func(inst int32) string {
		r := t.Find(inst)
		if r == nil {
			return ""
		}
		labels := make([]pcp.Label, 0, len(keys))
		rest, more := r.Name, true
		for i := len(keys) - 1; i >= 0 && more; i-- {
			if key, cell, ok := strings.Cut(keys[i], "="); ok {
				if text := t.Cell(r, []byte(cell)).Text; len(text) > 0 {
					labels = append(labels, pcp.Label{Name: key, Value: Quote(string(text))})
				}
				continue
			}
			value, at := rest, strings.LastIndex(rest, "::")
			if more = at >= 0 && i > 0; more {
				rest, value = rest[:at], rest[at+len("::"):]
			}
			if l, ok := label(keys[i], value); ok {
				labels = append(labels, l)
			}
		}
		if len(labels) == 0 {
			return ""
		}
		slices.Reverse(labels)
		return string(pcp.AppendLabels(nil, labels))
	}
}

func label(key, value string) (pcp.Label, bool) {
	name := strings.TrimLeft(key, "#+")
	if name == key {
		return pcp.Label{Name: name, Value: Quote(value)}, true
	}
	value = strings.TrimLeft(value, "abcdefghijklmnopqrstuvwxyz_")
	if key[0] == '+' {
		return pcp.Label{Name: name, Value: Quote(value)}, true
	}
	value, _, _ = strings.Cut(value, " ")
	n, err := strconv.ParseUint(value, 10, 32)
	return pcp.Label{Name: name, Value: strconv.FormatUint(n, 10)}, err == nil
}
