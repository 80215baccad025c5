package digest

import (
	"slices"
	"strings"
	"testing"

	"pmtools/derive/summary"
)

// TestBroad: many changes of disks do not hide that of the load, and few changes are all shown.
func TestBroad(t *testing.T) {
	const all = "disk.all.read disk.all.write disk.dev.read disk.dev.read uptime kernel.all.load kernel.all.nprocs"
	var list []summary.Change
	for name := range strings.FieldsSeq(all) {
		list = append(list, summary.Change{Row: &summary.Row{Metric: &summary.Metric{Name: name}}})
	}
	for top, want := range map[int]string{
		1: "disk.all.read",
		4: "disk.all.read disk.dev.read uptime kernel.all.load",
		5: "disk.all.read disk.all.write disk.dev.read uptime kernel.all.load",
		7: all,
		9: all,
	} {
		var got []string
		for _, c := range broad(list, top) {
			got = append(got, c.Name)
		}
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%d: %q, want %s", top, got, want)
		}
	}
}
