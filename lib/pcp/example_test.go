package pcp_test

import (
	"errors"
	"fmt"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

func ExampleParseUnits() {
	units, factor, err := pcp.ParseUnits("2 mbyte/5s")
	fmt.Println(units, factor, err)

	_, _, err = pcp.ParseUnits("secs")
	fmt.Println(err, errors.Is(err, pmerr.Conv))
	// Output:
	// Mbyte / sec 2.5 <nil>
	// unrecognized or duplicate base unit true
}

func ExampleValue_Convert() {
	v := pcp.WordValue(pcp.Uint32, 4294967295)
	d, err := v.Convert(pcp.Double)
	fmt.Println(d.Type(), err)

	_, err = v.Convert(pcp.Int32)
	fmt.Println(err)

	text, _ := v.Text()
	fmt.Println(text)
	// Output:
	// DOUBLE <nil>
	// Truncation in value conversion
	// 4294967295
}

func ExampleValue_ConvScale() {
	from, _, _ := pcp.ParseUnits("byte / sec")
	to, _, _ := pcp.ParseUnits("Kbyte / min")
	v, err := pcp.DoubleValue(10).ConvScale(from, to)
	f, _ := v.Float64()
	fmt.Println(f, err)
	// Output: 0.5859375 <nil>
}

func ExampleScaler() {
	from, _, _ := pcp.ParseUnits("Kbyte")
	to, _, _ := pcp.ParseUnits("byte")
	s, err := pcp.NewScaler(pcp.Uint64, from, to)
	if err != nil {
		fmt.Println(err)
		return
	}
	column := []uint64{1, 2, 3}
	s.Scale(column)
	fmt.Println(column)
	// Output: [1024 2048 3072]
}

func ExampleParseValue() {
	for _, text := range []string{"0x1f", "1.5", "-1"} {
		v, err := pcp.ParseValue(pcp.Uint32, text)
		if err != nil {
			fmt.Printf("%s: %v\n", text, err)
			continue
		}
		n, _ := v.Uint64()
		fmt.Printf("%s: %d\n", text, n)
	}
	// Output:
	// 0x1f: 31
	// 1.5: Unknown or illegal metric type
	// -1: Numerical result out of range
}

func ExampleMergeLabels() {
	host, _ := pcp.ParseLabels(`{"hostname":"a","role":"test"}`, uint8(pcp.ContextLabels))
	item, _ := pcp.ParseLabels(`{"role":"web","port":{"http":80}}`, uint8(pcp.ItemLabels))
	fmt.Printf("%s\n", pcp.AppendLabels(nil, pcp.MergeLabels(host, item)))
	// Output: {"hostname":"a","port.http":80,"role":"web"}
}

func ExampleDesc_Check() {
	d := pcp.Desc{ID: pcp.NewID(60, 0, 1), InDom: pcp.NullInDom, Sem: 2, Units: pcp.UnitsOf(0x40000000)}
	for _, f := range d.Check(nil) {
		fmt.Println(f)
	}
	// Output:
	// Error: metric semantics (2) is not one of the valid PM_SEM_* values
	// Warning: unusual dimension (4) for Space in pmUnits
}

func ExampleResult_SortInstances() {
	var r pcp.Result
	r.Reset(1)
	r.Sets[0] = pcp.Values{Type: pcp.Uint32, Insts: []int32{15, 1, 5}, Words: []uint64{30, 10, 20}}
	r.SortInstances()
	fmt.Println(r.Sets[0].Insts, r.Sets[0].Words)
	// Output: [1 5 15] [10 20 30]
}
