package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pmtools/lib/builtin/internal/procfs/procfstest"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// sensorNames returns the names of a collector of sensors, and their metrics.
func sensorNames(t *testing.T, p pmda.Provider) map[string]pcp.ID {
	t.Helper()
	n, ctx := p.(pmda.Namer), context.Background()
	names, err := n.Leaves(ctx, nil, SensorsRoot)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]pcp.ID{}
	for _, name := range names {
		if ids[name], err = n.LookupName(ctx, nil, name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	return ids
}

func ask(t *testing.T, p pmda.Provider, id pcp.ID) *pcp.Values {
	t.Helper()
	var res pcp.Result
	if err := p.Fetch(context.Background(), &pmda.Request{IDs: []pcp.ID{id}}, &res); err != nil {
		t.Fatal(err)
	}
	return &res.Sets[0]
}

// TestSensors: each sensor that measures something has a name of its own, which PCP can read, and the
// description that the original's agent gives its metrics.
func TestSensors(t *testing.T) {
	const smc, hid = "applesmc-isa-0300", "iohid"
	list := []temperature{
		{sensor{smc, "TC0D"}, 61.5}, {sensor{smc, "TC0D"}, 99}, {sensor{smc, "TG0D"}, 0}, {sensor{hid, "NaN"}, math.NaN()},
		{sensor{hid, "hot"}, math.Inf(1)}, {sensor{hid, "off"}, -127}, {sensor{hid, "PMU tdie1"}, 40}, {sensor{hid, "PMU_tdie1"}, 41},
		{sensor{hid, "PMU tdie1_2"}, 42}, {sensor{hid, "3V +5%/x"}, 43}, {sensor{hid, "é"}, 44}, {sensor{hid, ""}, 45}, {sensor{hid, "a.b"}, -5},
	}
	p, err := newSensors(0, machine{temperatures: func() ([]temperature, error) { return list, nil }})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float32{
		"applesmc_isa_0300.tc0d": 61.5, "iohid.pmu_tdie1": 40, "iohid.pmu_tdie1_2": 41, "iohid.pmu_tdie1_2_2": 42,
		"iohid.sensor_3v__5__x": 43, "iohid.sensor__": 44, "iohid.sensor_": 45, "iohid.a_b": -5,
	}
	got, names := map[string]float32{}, sensorNames(t, p)
	for name, id := range names {
		d, err := p.Desc(context.Background(), nil, id)
		if d != (pcp.Desc{ID: id, Type: pcp.Float, InDom: pcp.NullInDom, Sem: pcp.Instant}) || err != nil || id.Domain() != 74 {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
		if v := ask(t, p, id); v.Len() == 1 {
			got[strings.TrimPrefix(name, "lmsensors.")] = math.Float32frombits(uint32(v.Words[0]))
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	list = slices.DeleteFunc(slices.Clone(list), func(t temperature) bool { return t.key == "TC0D" })
	if v := ask(t, p, names["lmsensors.applesmc_isa_0300.tc0d"]); v.Len() != 0 || v.Err != nil {
		t.Errorf("a sensor that has gone: %+v", v)
	}
}

// TestManySensors: hundreds and thousands of sensors have metrics of their own.
func TestManySensors(t *testing.T) {
	var list []temperature
	for i := range 3000 {
		list = append(list, temperature{sensor{"iohid", fmt.Sprint("t", i)}, 1 + float64(i%100)})
	}
	p, err := newSensors(99, machine{temperatures: func() ([]temperature, error) { return list, nil }})
	if err != nil {
		t.Fatal(err)
	}
	ids := sensorNames(t, p)
	distinct := map[pcp.ID]bool{}
	for _, id := range ids {
		distinct[id] = id.Domain() == 99
	}
	if len(ids) != len(list) || len(distinct) != len(list) {
		t.Errorf("%d names, %d metrics, want %d", len(ids), len(distinct), len(list))
	}
	if v := ask(t, p, ids["lmsensors.iohid.t2999"]); v.Len() != 1 || math.Float32frombits(uint32(v.Words[0])) != 100 {
		t.Errorf("%+v", v)
	}
}

// TestNoSensors: without sensors, or an answer, there are no names. An answer that fails later is an error.
func TestNoSensors(t *testing.T) {
	failure := errors.New("no such service")
	var list []temperature
	m := machine{temperatures: func() ([]temperature, error) { return list, failure }}
	p, err := newSensors(0, m)
	if err != nil || len(sensorNames(t, p)) != 0 || !slices.Equal(procfstest.Names(p), []string{SensorsRoot}) {
		t.Errorf("%v, %v", sensorNames(t, p), err)
	}
	list, failure = []temperature{{sensor{"iohid", "x"}, 20}}, nil
	if p, err = newSensors(0, m); err != nil {
		t.Fatal(err)
	}
	failure = errors.New("gone")
	if v := ask(t, p, sensorNames(t, p)["lmsensors.iohid.x"]); v.Err != pmerr.AppVersion {
		t.Errorf("%+v", v)
	}
}
