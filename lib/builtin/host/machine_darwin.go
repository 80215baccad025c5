package host

import (
	"runtime"

	"github.com/shirou/gopsutil/v4/sensors"
	"golang.org/x/sys/unix"
)

func newMachine() machine {
	m := mac(unix.SysctlRaw, portable())
	m.temperatures = temperatures
	return m
}

// temperatures asks the System Management Controller of Intel's Macs, as the driver applesmc of Linux
// does, or the human interface devices of Apple's own processors.
func temperatures() ([]temperature, error) {
	chip := "iohid"
	if runtime.GOARCH == "amd64" {
		chip = "applesmc-isa-0300"
	}
	v, err := sensors.SensorsTemperatures()
	list := make([]temperature, len(v))
	for i := range v {
		list[i] = temperature{sensor{chip, v[i].SensorKey}, v[i].Temperature}
	}
	return list, err
}
