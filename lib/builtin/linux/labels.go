package linux

import (
	"encoding/json"
	"strconv"
	"strings"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pmda"
)

// indomLabels are the labels of instance domains, and what the names of their
// instances are labelled with (see instLabels).
var indomLabels = []struct {
	indom  string
	table  string // with the instances; "" if these have no labels
	labels string // of the domain
	parts  string // of an instance's name, separated by "::"
}{
	{"0", "percpu", `{"device_type":"cpu","indom_name":"per cpu"}`, "#cpu"},
	{"1", "disk", `{"device_type":"block","indom_name":"per disk"}`, "device_name"},
	{"3", "netdev", `{"device_type":"interface","indom_name":"per interface"}`, "interface"},
	{"4", "interrupts", `{"device_type":"irq","indom_name":"per irq"}`, "irq"},
	{"6", "", `{"device_type":["block","memory"],"indom_name":"per swap device"}`, ""},
	{"10", "partition", `{"device_type":"block","indom_name":"per partition"}`, "device_name"},
	{"12", "", `{"device_type":"memory","indom_name":"per slab"}`, ""},
	{"17", "", `{"device_type":"interface","indom_name":"per interface"}`, ""},
	{"19", "nodes", `{"device_type":"numa_node","indom_name":"per numa_node"}`, "#numa_node"},
	{"24", "dm", `{"device_type":"block","indom_name":"per dm device"}`, "device_name"},
	{"25", "md", `{"device_type":"block","indom_name":"per md device"}`, "device_name"},
	{"31", "buddyinfo", `{"device_type":["memory","numa_node"],"indom_name":"per buddy per numa_node"}`, "zone #order #numa_node"},
	{"32", "zoneinfo", `{"device_type":["memory","numa_node"],"indom_name":"per zone per numa_node"}`, "zone #numa_node"},
	{"33", "zoneprotection", "", "zone #numa_node #lowmem_reserved"},
	{"36", "", `{"indom_name":"per softirq"}`, ""},
	{"40", "cpuinterrupts", `{"device_type":["irq","cpu"],"indom_name":"per cpu, per irq"}`, "irq #cpu"},
	{"41", "cpusoftirqs", `{"device_type":"cpu","indom_name":"per cpu, per softirq"}`, "softirq #cpu"},
}

// addLabels gives the instance domains their labels.
func (l *collector) addLabels() {
	for _, row := range indomLabels {
		d := l.InDoms[row.indom]
		d.Labels = row.labels
		if row.table == "" {
			continue
		}
		t, keys := l.Tables[row.table], strings.Fields(row.parts)
		d.InstLabels = func(inst int32) string {
			r := t.Find(inst)
			if r == nil {
				return ""
			}
			return instLabels(keys, r.Name, l.interruptText(row.indom, t, r))
		}
	}
}

// interruptText returns what /proc/interrupts says of the line of an instance.
func (l *collector) interruptText(indom string, t *procfs.Table, r *procfs.Row) string {
	if indom != "4" && indom != "40" {
		return ""
	}
	return string(t.Cell(r, []byte("text")).Text)
}

// instLabels returns the labels of an instance: the parts of its name, those of
// "#key" without their letters as numbers. A name with fewer parts has the last ones.
func instLabels(keys []string, name, text string) string {
	parts := strings.Split(name, "::")
	keys = keys[max(0, len(keys)-len(parts)):]
	var b strings.Builder
	for i, key := range keys {
		value := parts[i]
		if i == len(keys)-1 { // what is left, if it has more parts
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
		appendLabel(&b, key, quote(value))
	}
	if text != "" {
		appendLabel(&b, "irqtext", quote(text))
	}
	if b.Len() == 0 {
		return ""
	}
	return b.String() + "}"
}

// appendLabel adds a label to an object.
func appendLabel(b *strings.Builder, key, value string) {
	b.WriteByte("{,"[min(1, b.Len())])
	b.WriteString(quote(key) + ":" + value)
}

// quote returns s as a string of JSON.
func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// labelCPUs gives a metric of times of processors its labels.
func labelCPUs(m *pmda.Metric) {
	switch {
	case strings.HasPrefix(m.Name, "kernel.all.cpu."):
		m.Labels = `{"device_type":"cpu"}`
	case strings.HasPrefix(m.Name, "kernel.pernode.cpu."):
		m.Labels = `{"device_type":["numa_node","cpu"]}`
	}
}
