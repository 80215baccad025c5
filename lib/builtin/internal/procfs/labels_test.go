package procfs

import (
	"strings"
	"testing"
)

func TestInstLabels(t *testing.T) {
	for _, c := range []struct {
		keys, name, text, want string
	}{
		{"#cpu", "cpu12", "", `{"cpu":12}`},
		{"#cpu", "x", "", ""},
		{"#pid", "000123 sh -c x", "", `{"pid":123}`},
		{"cgroup +cpu", "/a::b::cpu3", "", `{"cgroup":"/a::b","cpu":"3"}`},
		{"device_name", `a"b<c`, "", `{"device_name":"a\"b<c"}`},
		{"zone #numa_node", "node1", "", `{"numa_node":1}`},
		{"zone #numa_node", "DMA32::node1", "", `{"zone":"DMA32","numa_node":1}`},
		{"zone #order #numa_node", "DMA::order3::node1", "", `{"zone":"DMA","order":3,"numa_node":1}`},
		{"irq #cpu irqtext=text", "NMI::cpu1", "Non-maskable interrupts", `{"irq":"NMI","cpu":1,"irqtext":"Non-maskable interrupts"}`},
		{"irq irqtext=text", "a::b", "", `{"irq":"a::b"}`},
		{"", "a", "", ""},
	} {
		table := NewTable(nil)
		labels := instLabels(table, strings.Fields(c.keys))
		r := table.Row(7)
		r.Name = c.name
		table.Cell(r, []byte("text")).SetString(c.text)
		if got := labels(7); got != c.want {
			t.Errorf("%s of %s: %s, want %s", c.keys, c.name, got, c.want)
		}
		if got := labels(8); got != "" {
			t.Errorf("%s of nothing: %s", c.keys, got)
		}
	}
}
