package host

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

// SensorsDomain is the domain of NewSensors: the agent of Linux has the same.
const SensorsDomain = 74

// SensorsRoot is the first component of the names of NewSensors.
const SensorsRoot = "lmsensors"

// A sensor is the key of a sensor in a chip.
type sensor struct{ chip, key string }

func (s sensor) name() string {
	return SensorsRoot + "." + component(s.chip) + "." + component(s.key)
}

// component returns a component of a name: small letters, digits and underscores, a letter first.
func component(key string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(key))
	if name == "" || name[0] < 'a' {
		return "sensor_" + name
	}
	return name
}

// A temperature is a reading of a sensor, in degrees Celsius.
type temperature struct {
	sensor
	celsius float64
}

// measured returns the temperatures of the sensors that measure one. A missing sensor is 0, others
// are out of range while they are off. The first of several with the same key counts.
func (m *machine) measured() (map[sensor]float64, error) {
	list, err := m.temperatures()
	found := map[sensor]float64{}
	for _, t := range list {
		if _, again := found[t.sensor]; !again && t.celsius != 0 && t.celsius > -100 && t.celsius < 200 {
			found[t.sensor] = t.celsius
		}
	}
	return found, unsupported(err)
}

// NewSensors returns the collector of temperatures, in a domain; 0 means SensorsDomain. It has a
// metric for each sensor that now reads a temperature, named as by the reference's agent on Linux.
func NewSensors(domain uint32) (pmda.Provider, error) { return newSensors(domain, newMachine()) }

func newSensors(domain uint32, m machine) (pmda.Provider, error) {
	now, _ := m.measured() // without an answer there are no sensors
	sensors := slices.SortedFunc(maps.Keys(now), func(a, b sensor) int {
		return cmp.Or(strings.Compare(a.name(), b.name()), strings.Compare(a.chip, b.chip), strings.Compare(a.key, b.key))
	})
	reading := &pmda.Reading{Read: func(context.Context, *pmda.Request) (err error) {
		now, err = m.measured()
		return err
	}}
	metrics := []pmda.Metric{{Name: SensorsRoot, Dynamic: true}}
	taken := map[string]bool{}
	for i, s := range sensors {
		name := s.name()
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s_%d", s.name(), n)
		}
		taken[name] = true
		metrics = append(metrics, pmda.Metric{
			Name: name, Cluster: uint32(i >> 10), Item: uint32(i & (1<<10 - 1)), Type: pcp.Float, Sem: pcp.Instant,
			OneLine: fmt.Sprintf("Temperature of %s in degrees Celsius", s.key), Needs: reading,
			Fetch: pmda.Each(func(int32) (float64, error) {
				if v, ok := now[s]; ok {
					return v, nil
				}
				return 0, pmda.NoValue
			}),
		})
	}
	return pmda.New(pmda.Table{Domain: cmp.Or(domain, SensorsDomain), Metrics: metrics, Labels: `{"agent":"lmsensors"}`})
}
