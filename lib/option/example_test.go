package option_test

import (
	"errors"
	"fmt"
	"os"
	"time"

	"pmtools/lib/option"
	"pmtools/lib/when"
)

// pmclient reads the command line of pmclient, the example of PCP's Programmer's Guide, and returns
// the exit status.
func pmclient(args ...string) int {
	var pause bool
	p := &option.Parser{Prog: "pmclient", Operands: "[options]", Messages: os.Stdout}
	p.Section("General options")
	p.Shared("align", "archive", "debug", "host", "namespace", "origin", "start", "samples", "finish", "interval",
		"timezone", "hostzone", "version", "help")
	p.Section("Reporting options")
	p.Bool(&pause, "p", "pause", "pause between updates for archive replay")
	operands, err := p.Parse(args)
	if err == nil && len(operands) > 0 {
		err = p.UsageError("too many arguments")
	}
	switch {
	case errors.Is(err, option.ErrVersion):
		return 0
	case err != nil:
		return 1
	}

	o := &p.Options
	interval := 5 * time.Second
	if o.HasInterval {
		interval = o.Interval
	}
	base := when.Base{Start: time.Unix(0, 0), Now: time.Unix(0, 0), Zone: time.UTC}
	switch kind, name := o.Source(); kind {
	case option.Archive:
		fmt.Printf("archive %s\n", name)
		base.End = time.Unix(3600, 0) // pmapi.Timeline.Bounds of an archive
	default:
		fmt.Printf("host %s\n", name)
	}
	window, err := o.Window(base)
	if err != nil {
		fmt.Print(err)
		return 1
	}
	fmt.Printf("from %s every %v, %d samples, pause %v\n", window.Origin.Format(time.TimeOnly), interval, o.Samples, pause)
	return 0
}

// The command line of pmclient: options, mistakes, and the values of the options.
func Example() {
	pmclient()
	pmclient("-pa", "demo", "--interval=1min30", "-s4", "-S", "+10min", "-A", "5min")
	pmclient("-V")
	fmt.Println("status", pmclient("-a", "demo", "--host=moomba", "--s", "1", "-t"))
	// Output:
	// host local:
	// from 00:00:00 every 5s, 0 samples, pause false
	// archive demo
	// from 00:10:00 every 1m30s, 4 samples, pause true
	// pmclient version 7.2.2
	// pmclient: only one host or archive allowed
	// pmclient: option '--s' is ambiguous; possibilities: '--start' '--samples'
	// pmclient: option requires an argument -- 't'
	// Usage: pmclient [options]
	//
	// General options:
	//   -A TIME, --align=TIME align sample times on natural boundaries
	//   -a FILE, --archive=FILE
	//                         metrics source is a PCP archive
	//   -D DBG, --debug=DBG   set debug options, see pmdbg(1)
	//   -h HOST, --host=HOST  metrics source is PMCD on host
	//   -n FILE, --namespace=FILE
	//                         use an alternative PMNS
	//   -O TIME, --origin=TIME
	//                         initial sample time within the time window
	//   -S TIME, --start=TIME start of the time window
	//   -s N, --samples=N     terminate after this many samples
	//   -T TIME, --finish=TIME
	//                         end of the time window
	//   -t DELTA, --interval=DELTA
	//                         sampling interval
	//   -Z TZ, --timezone=TZ  set reporting timezone
	//   -z, --hostzone        set reporting timezone to local time of metrics source
	//   -V, --version         display version number and exit
	//   -?, --help            show this usage message and exit
	//
	// Reporting options:
	//   -p, --pause           pause between updates for archive replay
	// status 1
}

// A metric specification, as pmval takes for its operand.
func ExampleParseMetric() {
	m, err := option.ParseMetric(`moomba:disk.dev.total[sda, "disk 1"]`)
	fmt.Printf("%s %s %q %v\n", m.Source, m.Name, m.Instances, err)
	_, err = option.ParseMetric("disk.dev.total[sda")
	fmt.Print(err)
	// Output:
	// moomba disk.dev.total ["sda" "disk 1"] <nil>
	// disk.dev.total[sda
	//                   ^ -- closing ] expected
}
