package format_test

import (
	"fmt"
	"time"

	"pmtools/lib/format"
	"pmtools/lib/pcp"
)

func ExampleOptions_AppendValue() {
	column := pcp.Values{Type: pcp.Int32, Insts: []int32{0, 1}, Words: []uint64{7, 1234}}
	var opts format.Options
	var line []byte
	for i := range column.Len() {
		line = opts.AppendValue(line[:0], &column, i, 6)
		fmt.Printf("value %s\n", line)
	}
	// Output:
	// value      7
	// value   1234
}

func ExampleAppendDesc() {
	units, _, _ := pcp.ParseUnits("Mbyte / sec")
	d := pcp.Desc{Type: pcp.Uint64, InDom: pcp.NewInDom(29, 1), Sem: pcp.Counter, Units: units}
	fmt.Printf("%s", format.AppendDesc(nil, &d, false))
	// Output:
	//     Data Type: 64-bit unsigned int  InDom: 29.1 0x7400001
	//     Semantics: counter  Units: Mbyte / sec
}

func ExampleAppendTime() {
	stamp := pcp.Timestamp{Sec: 1700000000, Nsec: 123456789}
	fmt.Printf("%s\n", format.AppendTime(nil, stamp, time.UTC))
	fmt.Printf("%s\n", format.AppendTimeNanos(nil, stamp, time.FixedZone("JST", 9*3600)))
	// Output:
	// 22:13:20.123
	// 07:13:20.123456789
}

func ExampleAppendAtom() {
	fmt.Printf("%s\n", format.AppendAtom(nil, pcp.WordValue(pcp.Uint32, 42)))
	fmt.Printf("%s\n", format.AppendAtom(nil, pcp.DoubleValue(0.25)))
	fmt.Printf("%s\n", format.AppendAtom(nil, pcp.Value{}))
	// Output:
	// 42
	// 2.500000e-01
	// <null>
}

func ExampleAppendScaled() {
	for _, f := range []float64{0.5, 1500, 123456789, -1234.5} {
		fmt.Printf("%s|\n", format.AppendScaled(nil, f))
	}
	// Output:
	//   0.50 |
	//   1.50K|
	// 123.46M|
	//  -1.23K|
}
