package mmv_test

import (
	"fmt"
	"os"
	"time"

	"pmtools/lib/mmv"
	"pmtools/lib/mmv/mmvtest"
)

// A program registers what it has, and updates that where it changes.
func Example() {
	dir, err := os.MkdirTemp("", "mmv") // Options without Dir use PCP's own
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	reg, err := mmv.Create("acme", mmv.Options{Dir: dir, Flags: mmv.Process})
	if err != nil {
		fmt.Println(err) // all below works without it too
	}
	defer reg.Close()
	products := reg.Domain(mmv.Help("Acme products")).Add("Anvils", "Rockets")
	built := mmv.Counter[uint64](reg, "products.count", mmv.Per(products), mmv.Help("Products built"))
	load := mmv.Gauge[float64](reg, "load", mmv.Units("count / sec"))
	state := mmv.Text(reg, "state")
	busy := mmv.Timer(reg, "busy")
	reg.Label("rack", 7)

	end := busy.Start()
	built.At("Anvils").Add(2)
	built.At("Rubber Bands").Add(1)
	load.Set(0.7)
	state.Set("working")
	end()

	mmv.Gauge[int32](reg, "no good name")
	fmt.Println(built.At("Anvils").Get(), load.Get(), state.Get(), busy.Get() < time.Hour)
	fmt.Println(reg.Err())
	// Output:
	// 2 0.7 working true
	// mmv: acme: metric "no good name": bad name: parts of letters, digits and _ with a dot between them are wanted
}

// A file is taken apart once, its values are read as often as they are wanted.
func ExampleParse() {
	b := mmvtest.Build(mmvtest.Demo()) // os.ReadFile, in a program
	f, err := mmv.Parse(b)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range f.Values[:3] {
		v := &f.Values[i]
		value, err := f.Value(b, v, time.Now())
		fmt.Println(f.Metrics[v.Metric].Name, v.Inst, value.Word(), string(value.Bytes()), err)
	}
	// Output:
	// count 0 5  <nil>
	// count 1 1  <nil>
	// state -1 0 running <nil>
}
