package test

import (
	"testing"

	"pmtools/lib/archive/archivetest"
)

// TestCompletion: expressions inside quotes, values of options.
func TestCompletion(t *testing.T) {
	inShells(t, func(t *testing.T, s *shell, try func(typed, rest, want string)) {
		if err := archivetest.Build(s.dir, "demo"); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct{ typed, rest, want string }{
			{"pmderive -a ../demo eval 'rate(disk.dev.total_b", ")'", "rate(disk.dev.total_bytes)"},
			{`pmderive -a ../demo eval "rate(disk.dev.total_b`, `)"`, "rate(disk.dev.total_bytes)"},
			{"pmderive -a ../demo eval '100 * mem.util.us", "'", "100 * mem.util.used"},
			{"pmderive -a ../demo eval '100 * mem.util.used / mem.phys", "'", "100 * mem.util.used / mem.physmem"},
			{"pmderive -a ../demo eval 'disk.dev.total[nv", "'", "disk.dev.total[nvme0n1]"},
			{`pmderive -a ../demo eval "kernel.all.load[1 `, `"`, "kernel.all.load[1 minute]"},
			{"pmderive -a ../demo eval 'kernel.all.load[15", "'", "kernel.all.load[15 minute]"},
			{"pmderive -a ../demo eval 'resc", "'", "rescale("},
			{`pmderive -a ../demo eval 'rescale(mem.physmem, "Mby`, `")'`, `rescale(mem.physmem, "Mbyte")`},
			{"pmderive -a ../demo eval rate\\(disk.dev.total_b", `\)`, "rate(disk.dev.total_bytes)"},
			{"pmderive -a ../demo 'rate(disk.dev.total_b", ")'", "rate(disk.dev.total_bytes)"},
			{"pmderive -a ../demo :expl", "", ":explain"},
			{"pmderive -a ../demo eval --where 'disk.dev.total_b", "'", "disk.dev.total_bytes"},
			{"pmderive -a ../demo eval disk.dev.total -i nv", "", "nvme0n1"},
			{"pmderive -a ../demo eval disk.dev.total -i sda,nv", "", "sda,nvme0n1"},
			{"pmderive -a ../demo eval kernel.all.load -i '15", "", "15"},
			{"pmderive -a ../demo eval kernel.all.load --instances=15", "", "--instances=15"},
			{"pmderive -a ../demo eval mem.physmem --units=Gby", "", "--units=Gbyte"},
			{"pmderive -a ../demo eval disk.dev.total_bytes --units=Mby", "", "--units=Mbyte/sec"},
			{"pmderive -a ../demo eval disk.dev.total_bytes --units Mby", "", "Mbyte/sec"},
			{"pmderive -a ../dem", "", "../demo"},
			{"pmderive --archive=../dem", "", "--archive=../demo"},
			{"pmderive -a ../demo,../dem", "", "../demo,../demo"},
			{"pminfo -a ../dem", "", "../demo"},
			{"pmval -a ../dem", "", "../demo"},
			{"pmval -a ../demo disk.dev.total -i nv", "", "nvme0n1"},
			{"pmval --outp", "csv", "csv"},
			{"pmval --plo", "", "--plot"},
			{"pminfo --js", "", "--json"},
			{"pmderive check -o sa", "", "sarif"},
			{"pmderive help lang", "", "language"},
			{"pmderive help expl", "", "explain"},
		} {
			try(tt.typed, tt.rest, tt.want)
		}
	})
}
