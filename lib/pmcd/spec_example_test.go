package pmcd_test

import (
	"errors"
	"fmt"

	"pmtools/lib/pmcd"
)

func ExampleParseSpec() {
	spec, err := pmcd.ParseSpec("pcps:app1:44321,4321@proxy?user=bob")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(spec.Host(), spec.Hosts[0].Ports, spec.Hosts[1].Name)
	fmt.Println(spec)
	// Output:
	// app1 [44321 4321] proxy
	// pcps://app1:44321,4321@proxy?username=bob
}

func ExampleSpecError() {
	_, err := pmcd.ParseSpec("host:abc")
	var bad *pmcd.SpecError
	if errors.As(err, &bad) {
		fmt.Print(bad.Message())
	}
	// Output:
	// pmNewContext: bad host specification
	// host:abc
	//      ^ -- non-numeric port
}
