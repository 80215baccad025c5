package linux

import (
	"fmt"
	"strings"
	"testing"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/builtin/internal/procfs/procfstest"
)

// TestCPUInfo reads /proc/cpuinfo of many kinds of machines. The answers are the reference's, which counts processors in order, but where
// they have other numbers.
func TestCPUInfo(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string // vendor, model, stepping, name, flags, clock, bogomips and cache of each processor
	}{
		{"x86", "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: Xeon(R): x\nstepping\t: 7\ncpu MHz\t\t: 2000.5\n" +
			"cache size\t: 36608 KB\nflags\t\t: fpu vme\nvmx flags\t: vnmi\nbogomips\t: 4000.25\n\nprocessor\t: 1\nvendor_id\t: GenuineIntel\n",
			[]string{"GenuineIntel|85|7|Xeon(R): x|fpu vme|2000.5|4000.25|36608", "GenuineIntel|unknown|unknown|unknown|unknown|||"}},
		{"ARM64", "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd \nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n\n" +
			"processor\t: 1\nBogoMIPS\t: 243.75\nFeatures\t: fp\nCPU implementer\t: 0x51\nCPU variant\t: 0x4\nCPU revision\t: 2\n\n",
			[]string{"0x41|0x3|1|0x3|fp asimd||243.75|", "0x51|0x4|2|0x4|fp||243.75|"}},
		{"ARM64, numbers first", "processor\t: 0\nprocessor\t: 1\nFeatures\t: fp\nCPU implementer\t: 0x50\nCPU revision\t: 0\n\nHardware\t: Mustang board\n",
			[]string{"0x50|Mustang board|0|Mustang board|fp|||", "0x50|Mustang board|0|Mustang board|fp|||"}},
		{"ARM", "processor\t: 0\nmodel name\t: ARMv7 rev 4\nBogoMIPS\t: 38.5\nCPU revision\t: 4\n\nprocessor\t: 1\nBogoMIPS\t: 39\n\nHardware\t: BCM2835\nRevision\t: a02082\nModel\t\t: Raspberry Pi 3\n",
			[]string{"unknown|ARMv7 rev 4|4|ARMv7 rev 4|unknown||38.5|", "unknown|Raspberry Pi 3|a02082|BCM2835|unknown||39|"}},
		{"POWER", "processor\t: 0\ncpu\t\t: POWER9\nclock\t\t: 2500.000000MHz\nrevision\t: 2.2 (pvr)\n\nprocessor\t: 1\ncpu\t\t: POWER9\nrevision\t: 2.3\n\ntimebase\t: 512000000\nmodel\t\t: IBM,9008\n",
			[]string{"unknown|unknown|2.2 (pvr)|unknown|unknown|||", "unknown|IBM,9008|2.3|IBM,9008|unknown|||"}},
		{"s390x", "vendor_id       : IBM/S390\n# processors    : 2\nbogomips per cpu: 3033.00\nfeatures\t: esan3 zarch \nprocessor 0: version = FF,  machine = 2964\n\ncpu number      : 0\ncpu MHz dynamic : 5000\ncpu MHz static  : 5200\n",
			[]string{"IBM/S390|unknown|unknown|unknown|esan3 zarch|5200|3033|", "IBM/S390|unknown|unknown|unknown|esan3 zarch|5200|3033|"}},
		{"RISC-V", "processor\t: 0\nhart\t\t: 2\nisa\t\t: rv64imafdc\nmmu\t\t: sv39\nuarch\t\t: sifive,u74-mc\nmvendorid\t: 0x489\n\nprocessor\t: 1\nhart\t\t: 1\n",
			[]string{"unknown|unknown|unknown|unknown|unknown|||", "unknown|unknown|unknown|unknown|unknown|||"}},
		{"MIPS", "system type\t\t: Loongson 3A\nprocessor\t\t: 0\ncpu model\t\t: Loongson-3 FPU\nBogoMIPS\t\t: 797.5\n\nprocessor : 1\ncpu model : Loongson-3\n",
			[]string{"unknown|Loongson-3 FPU|unknown|Loongson-3 FPU|unknown||797.5|", "unknown|Loongson-3 FPU|unknown|Loongson-3 FPU|unknown||797.5|"}},
		{"LoongArch", "system type\t: x\n\nprocessor\t: 0\nModel Name\t: 3A5000\nCPU Revision\t: 0x10\nCPU MHz\t\t: 2500.00\nFeatures\t: cpucfg\n\n",
			[]string{"unknown|3A5000|0x10|3A5000|cpucfg|2500||", "unknown|3A5000|0x10|3A5000|cpucfg|2500||"}},
		{"Alpha", "cpu\t: Alpha\ncpu model\t: EV56\ncpu revision\t: 0\ncycle frequency [Hz]\t: 499714426 est.\nBogoMIPS\t: 992.5\n",
			[]string{"unknown|EV56|0|EV56|unknown|499.714426|992.5|", "unknown|EV56|0|EV56|unknown|499.714426|992.5|"}},
		{"numbers of others", "processor : 7\nmodel : a\n\nprocessor : x\nmodel : b\n\nprocessor : 9\nmodel : c\n",
			[]string{"unknown|unknown|unknown|unknown|unknown|||", "unknown|unknown|unknown|unknown|unknown|||"}},
		{"in another order", "processor : 1\nmodel : a\n\nprocessor : 0\nmodel : b\n", []string{"unknown|b|unknown|b|unknown|||", "unknown|a|unknown|a|unknown|||"}},
		{"a line before", "x : 1\nprocessor : 0\nbogomips : 5\n\nprocessor : 1\nbogomips : 6\n", []string{"unknown|unknown|unknown|unknown|unknown||5|", "unknown|unknown|unknown|unknown|unknown||5|"}},
		{"lines twice", "processor : 0\nmodel name : a\nmodel name : b\nmodel name : c\nvendor_id : a\nvendor_id : b\ncache size : 0\ncache size : 7\ncache size : 8\ncpu MHz : 4\ncpu MHz : 5\nbogomips : x\nbogomips : 1e1\n",
			[]string{"a|b|unknown|a|unknown|5|10|7", "unknown|unknown|unknown|unknown|unknown|||"}},
		{"other blanks", "processor : 0\nvendor_id\t:  a  b \r\nmodel :85\nstepping:\t7\ncpu MHz :   5\ncache size :\t 9\nflags : a b \n\nprocessor: 1\nmodel name :\n",
			[]string{" a  b \r|5|7|5|a b|5||9", "unknown||unknown||unknown|||"}},
		{"odd", ":\nmodel\n : x\nflags :\ncpu MHz : fast\nprocessor\n", []string{"unknown|unknown|unknown|unknown||||", "unknown|unknown|unknown|unknown||||"}},
		{"nothing", "", []string{"unknown|unknown|unknown|unknown|unknown|||", "unknown|unknown|unknown|unknown|unknown|||"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			keys := strings.Fields("vendor_id model stepping model_name flags MHz bogomips cache_size processor")
			table, cpus := procfstest.NewTable(keys...), procfstest.NewTable()
			cpus.Row(0)
			cpus.Row(1)
			parseCPUInfo(table, cpus, []byte(c.text))
			for i, want := range c.want {
				r := table.Find(int32(i))
				var parts []string
				for _, key := range keys[:8] {
					parts = append(parts, cellText(table.Cell(r, []byte(key))))
				}
				if got := strings.Join(parts, "|"); got != want {
					t.Errorf("processor %d\n got %s\nwant %s", i, got, want)
				}
				if n := table.Cell(r, []byte("processor")).Num; n != uint64(i) {
					t.Errorf("processor %d has number %d", i, n)
				}
			}
		})
	}
}

func cellText(c *procfs.Cell) string {
	switch c.Kind {
	case procfs.Text:
		return string(c.Text)
	case procfs.Float:
		return fmt.Sprint(c.Real())
	case procfs.Number:
		return fmt.Sprint(c.Num)
	}
	return ""
}

// TestCPUInfoLong: a line about all processors takes no time for each of them.
func TestCPUInfoLong(t *testing.T) {
	table, cpus := procfstest.NewTable("vendor_id", "model", "stepping", "model_name", "flags", "MHz"), procfstest.NewTable()
	for i := range int32(20000) {
		cpus.Row(i)
	}
	parseCPUInfo(table, cpus, []byte(strings.Repeat("model : a\n", 1_000_000)))
	if got := cellText(table.Cell(table.Find(19999), []byte("model"))); got != "a" {
		t.Errorf("the last processor has model %q", got)
	}
}
