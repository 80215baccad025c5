package samples

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"pmtools/internal/textwidth"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/sampling"
)

var update = flag.Bool("update", false, "rewrite the screens in testdata and docs")

// A shape is metrics of one kind, and the values of their instances in the first sample.
type shape struct {
	name    string
	metrics []shapeMetric
}

type shapeMetric struct {
	name, units string
	typ         pcp.Type
	instances   []string // nil for a metric without instances
	values      []float64
	texts       []string // instead of numbers
}

// shapes are metrics of different shapes.
func shapes() []shape {
	disks := []string{"sda", "sdb", "sdc", "sdd", "nvme0n1"}
	load := shapeMetric{"kernel.all.load", "", pcp.Float, []string{"1 minute", "5 minute", "15 minute"}, []float64{2.3, 4.07, 4.95}, nil}
	var cpus []string
	var busy []float64
	for i := range 16 {
		cpus, busy = append(cpus, fmt.Sprint("cpu", i)), append(busy, float64(i*i)/300)
	}
	return []shape{
		{"a number", []shapeMetric{{"hinv.physmem", "Mbyte", pcp.Uint32, nil, []float64{16384}, nil}}},
		{"rates", []shapeMetric{{"network.interface.in.bytes", "byte/sec", pcp.Double, []string{"lo", "eth0", "wlan0"}, []float64{0, 1234567.8, 512.25}, nil}, load}},
		{"many instances", []shapeMetric{{"kernel.percpu.cpu.user", "", pcp.Double, cpus, busy, nil}}},
		{"long names", []shapeMetric{
			{"filesys.used", "Kbyte", pcp.Uint64, []string{"/dev/mapper/vg0-root", "/dev/mapper/vg0-home", "/dev/mapper/vg0-var"}, []float64{12345678, 987654321, 4567}, nil},
			{"filesys.usedfiles", "", pcp.Uint64, []string{"/dev/mapper/vg0-root", "/dev/mapper/vg0-home", "/dev/mapper/vg0-var"}, []float64{123456, 7654321, 42}, nil},
		}},
		{"strings", []shapeMetric{
			{"kernel.uname.release", "", pcp.String, nil, nil, []string{"6.12.0-demo"}},
			{"hinv.map.scsi", "", pcp.String, disks[:2], nil, []string{"scsi0:0:0:0 Direct-Access", "scsi0:0:1:0 Direct-Access"}},
		}},
		{"huge and tiny", []shapeMetric{
			{"sample.huge", "", pcp.Uint64, nil, []float64{1 << 60}, nil}, {"sample.tiny", "", pcp.Double, nil, []float64{1.25e-7}, nil},
			{"sample.byte_ctr", "byte", pcp.Uint64, nil, []float64{3.5e15}, nil}, {"sample.nsec", "nanosec", pcp.Double, nil, []float64{4.2e10}, nil},
		}},
		{"bytes", []shapeMetric{
			{"mem.util.free", "Kbyte", pcp.Uint64, nil, []float64{5722112}, nil}, {"mem.util.used", "Kbyte", pcp.Uint64, nil, []float64{6860800}, nil},
			{"swap.used", "byte", pcp.Uint64, nil, []float64{0}, nil}, {"mem.physmem", "Kbyte", pcp.Uint64, nil, []float64{16777216}, nil},
		}},
		{"times and ratios", []shapeMetric{
			{"disk.dev.await", "millisec/count", pcp.Double, disks, []float64{0.1904761904761905, 10.66666666666667, 0, 121.5, 0.04}, nil},
			{"disk.dev.util", "", pcp.Double, disks, []float64{0.012, 0.5, 0, 0.999, 0.25}, nil},
		}},
	}
}

// set returns the values of a metric in one of the samples.
func (m *shapeMetric) set(n int) sampling.Set {
	var list []sampling.Value
	for i := range max(len(m.values), len(m.texts)) {
		v := sampling.Value{ID: -1}
		if m.instances != nil {
			v.ID, v.Instance = int32(i), m.instances[i]
		}
		if m.texts != nil {
			v.Value = pcp.BlobValue(pcp.String, []byte(m.texts[i]))
		} else {
			v.Value, _ = pcp.DoubleValue(m.values[i] * (1 + float64(n)/3)).Convert(m.typ)
		}
		list = append(list, v)
	}
	return sampling.SetOf(list...)
}

// screen returns what a terminal of a width shows of some samples of a shape.
func (sh *shape) screen(t *testing.T, width, number int) string {
	t.Helper()
	h := &sampling.Header{Interval: 2 * time.Second, Samples: cmp.Or(number, 1)}
	for i := range sh.metrics {
		m := &sh.metrics[i]
		d := pcp.Desc{Type: m.typ, Sem: pcp.Instant, InDom: pcp.NullInDom}
		if m.instances != nil {
			d.InDom = indom
		}
		var err error
		if d.Units, _, err = pcp.ParseUnits(m.units); err != nil {
			t.Fatal(err)
		}
		h.Metrics = append(h.Metrics, sampling.Metric{Name: m.name, Desc: d})
	}
	var list []*sampling.Sample
	for n := range number {
		var sets []sampling.Set
		for i := range sh.metrics {
			sets = append(sets, sh.metrics[i].set(n))
		}
		list = append(list, at(int64(2*n), sets...))
	}
	return write(t, NewTable, h, &Options{Precision: format.Readable, People: People{Scale: true}, Width: width, Height: 24}, list...)
}

// TestScreens has what terminals of different widths show of metrics of different shapes: the page in
// testdata, three of whose screens are in docs/output.md.
func TestScreens(t *testing.T) {
	var page strings.Builder
	screens := make(map[string]string)
	for _, sh := range shapes() {
		for _, width := range []int{60, 80, 100, 160} {
			for _, number := range []int{3, 1} {
				text := sh.screen(t, width, number)
				title := fmt.Sprintf("%s, %d columns, %d", sh.name, width, number)
				screens[title] = text
				fmt.Fprintf(&page, "=== %s\n%s\n", title, text)
				for line := range strings.Lines(text) {
					if n := textwidth.Width(strings.TrimRight(line, "\n")); n > width {
						t.Errorf("%s: a line of %d characters: %s", title, n, line)
					}
				}
			}
		}
	}
	const file, doc = "testdata/screens.txt", "../../../docs/output.md"
	compare(t, file, page.String())
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	fence := regexp.MustCompile("(?s)<!-- screen: ([^>]*) -->\n```text\n(.*?)```\n")
	compare(t, doc, fence.ReplaceAllStringFunc(string(text), func(old string) string {
		shown++
		title := fence.FindStringSubmatch(old)[1]
		return "<!-- screen: " + title + " -->\n```text\n" + screens[title] + "```\n"
	}))
	if shown != 3 {
		t.Errorf("%s shows %d screens", doc, shown)
	}
}

// compare compares a text with that of a file, which -update rewrites.
func compare(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.ReplaceAll(string(want), "\r\n", "\n"); got != text {
		t.Errorf("%s is another now; -update rewrites it:\n%s", file, text)
	}
}

// TestScreenHeads: no two columns of a screen look alike.
func TestScreenHeads(t *testing.T) {
	names := []string{"a long name of an instance, the first one of all", "a long name of an instance, the third one of all", "a long name of an instance, the other one of all"}
	sh := shape{metrics: []shapeMetric{{"some.long.name.of.a.metric", "byte", pcp.Uint32, names, []float64{1, 2, 3}, nil}, {"some.long.name.of.a.matric", "", pcp.Uint32, names, []float64{1, 2, 3}, nil}}}
	for width := 40; width < 200; width++ {
		text := sh.screen(t, width, 3)
		_, heads, _ := strings.Cut(text, "2023-11-14")
		heads, _, _ = strings.Cut(heads, "22:13")
		_, line, _ := strings.Cut(heads, "\n")
		line, _, _ = strings.Cut(line, "\n")
		seen := make(map[string]int)
		for _, name := range regexp.MustCompile(`a long (name|…|n\S*…).*?all|\S*…\S*`).FindAllString(line, -1) {
			if seen[name]++; seen[name] > 2 { // once for each metric
				t.Errorf("width %d: %s stands above three columns\n%s", width, name, text)
			}
		}
	}
}
