package mmv_test

import (
	"fmt"
	"time"

	"pmtools/lib/mmv"
	"pmtools/lib/mmv/mmvtest"
)

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
