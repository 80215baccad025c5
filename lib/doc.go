/*
Package lib has no code: it is the tutorial of the library, and its index. The library reads the
metrics of Performance Co-Pilot, live or recorded, derives new ones, and gives programs metrics of
their own. It is pure Go and needs no part of PCP on the machine.

The pieces of code below are one program, which a test runs.

# Opening a source

A [pmtools/lib/pmapi.Source] is where metrics come from: an archive, the daemon of a host
(pmapi.OpenHost with a specification such as "local:" or "app1:44321"), or the collectors inside
this process (builtin.Default), which need no daemon at all.

	ctx := context.Background()
	archive, err := pmapi.OpenArchive(ctx, "demo", nil)
	if err != nil {
		log.Fatal(err)
	}

# Names

Metrics have names in a tree. Walk lists those below a node; Lookup finds the identifiers of many
names in one round trip, LookupName that of one, and Describe their types, semantics and units.

	err = archive.Walk(ctx, "disk.dev", true, func(name string, id pcp.ID) bool {
		desc, err := pmapi.LookupDesc(ctx, archive, id)
		fmt.Println(name, desc.Type, desc.Sem, desc.Units, err)
		return name != "disk.dev.total" // true goes on
	})
	if err != nil {
		log.Fatal(err)
	}

# Values

A [pmtools/lib/pmapi.Context] is a source with the settings of one user: selected instances, the
position in an archive, the zone of times. Fetch returns a column for each metric: one type, a slice
of instances and a slice of values, used again by the next fetch.

	c := pmapi.Over(archive)
	defer c.Close()
	metrics, err := c.Metrics(ctx, []string{"kernel.all.load", "hinv.ncpu"})
	if err != nil {
		log.Fatal(err)
	}
	result, err := c.Fetch(ctx, []pcp.ID{metrics[0].Desc.ID, metrics[1].Desc.ID})
	if err != nil {
		log.Fatal(err)
	}
	for i, column := range result.Sets {
		for j, inst := range column.Insts {
			value, err := column.Value(j).Float64()
			fmt.Println(metrics[i].Name, inst, value, err)
		}
	}

# Archives

An archive is a source with a past, a [pmtools/lib/pmapi.Timeline]. It is read record by record, in
both directions, or by steps of time, with values interpolated between the records. The end is the
error pmerr.EOL.

	if err := c.SetMode(pcp.Interp, nil, 5*time.Minute); err != nil {
		log.Fatal(err)
	}
	for {
		result, err := c.Fetch(ctx, []pcp.ID{metrics[0].Desc.ID})
		if errors.Is(err, pmerr.EOL) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		load, err := result.Sets[0].Value(0).Float64()
		fmt.Println(result.Time.Time().UTC().Format(time.TimeOnly), load, err)
	}

# Derived metrics

A [pmtools/derive.Source] is a source over a source: it adds metrics that are computed from others
by expressions, with units and types checked. A mistake is explained with its place.

	recorded, err := pmapi.OpenArchive(ctx, "demo", nil)
	if err != nil {
		log.Fatal(err)
	}
	src := derive.NewSource(recorded, nil, nil)
	if err := src.Add(ctx, "mem.used", "100 * mem.util.usde / mem.physmem"); err != nil {
		fmt.Print(src.Explain(ctx, err))
	}

# Fetch groups

Most programs want values, not identifiers and columns. A fetch group fills a struct whose tags name
metrics, instances, units and expressions; counters become rates by themselves.

	type Host struct {
		Load float64            `pcp:"kernel.all.load[1 minute]"`
		Used float64            `pcp:"=100 * mem.util.used / mem.physmem"`
		IOPS map[string]float64 `pcp:"disk.dev.total,rate"`
	}
	group := fetchgroup.New(src, nil) // which closes src
	defer group.Close()
	hosts, err := fetchgroup.Bind[Host](ctx, group)
	if err != nil {
		log.Fatal(err)
	}
	for h, err := range hosts.Each(ctx, 4*time.Minute) {
		fmt.Printf("%.2f %.1f%% %.1f %v\n", h.Load, h.Used, h.IOPS["sda"], err)
	}

fetchgroup.Fleet does that for a thousand hosts on one schedule.

# Agents

A program that has metrics of something else than itself is an agent: a table of metrics, each with a
function for its values. The daemon asks it, and so does this process.

	agent := func() (pmda.Provider, error) {
		return pmda.New(pmda.Table{Domain: 449, Metrics: []pmda.Metric{{
			Name: "hello.greeting", Type: pcp.String, Sem: pcp.Discrete, Fetch: pmda.Always("hello, world"),
		}}})
	}
	own := builtin.New(&builtin.Options{Collectors: []builtin.Collector{{Name: "hello", Domain: 449, New: agent}}})
	defer own.Close()
	greeting, err := pmapi.StringValue(ctx, own, "hello.greeting")
	fmt.Println(greeting, err)

A program of its own has os.Exit(pmda.Main(...)) as its main function; docs/writing-an-agent.md goes
on from there.

# Instrumenting a program

A program has metrics of its own in a file that is mapped into memory: an update is one atomic
operation, whether anybody reads or not.

	dir, err := os.MkdirTemp("", "mmv")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	reg, err := mmv.Create("shop", mmv.Options{Dir: dir}) // without Dir where PCP looks
	if err != nil {
		log.Fatal(err)
	}
	orders := mmv.Counter[uint64](reg, "orders", mmv.Help("Orders so far"))
	orders.Add(3)
	fmt.Println(reg.Close())

# Index

Reading metrics:

  - [pmtools/lib/pmapi]: Source and Context, hosts and archives
  - [pmtools/lib/fetchgroup]: typed values refreshed together, structs, fleets of hosts
  - [pmtools/lib/builtin]: the collectors inside the program
  - [pmtools/derive]: derived metrics; [pmtools/derive/load] reads files of definitions
  - [pmtools/derive/query]: samples of expressions, from one source or many hosts; [pmtools/lib/sampling] has their types
  - [pmtools/lib/archive]: archives, read and written; [pmtools/lib/record] records live metrics

The vocabulary, and text:

  - [pmtools/lib/pcp]: identifiers, descriptions, units, columns of values, events, labels
  - [pmtools/lib/pmerr]: error codes
  - [pmtools/lib/format]: text of values, descriptions and times
  - [pmtools/lib/when]: intervals, time windows, zones
  - [pmtools/lib/pmns]: name space files

Providing metrics:

  - [pmtools/lib/pmda]: agents; [pmtools/lib/pmda/pmdatest] checks them, [pmtools/lib/pmda/remote] asks them
  - [pmtools/lib/mmv]: metrics of Go programs in mapped memory
  - [pmtools/lib/trace]: transactions, points and values reported to an agent, which is [pmtools/lib/trace/agent]

Giving metrics away:

  - [pmtools/lib/export]: archives as tables in Parquet
  - [pmtools/lib/remotewrite]: Prometheus's remote write, with a queue on disk

Below, and for commands:

  - [pmtools/lib/pmcd], [pmtools/lib/pdu]: connections to a daemon, and its protocol
  - [pmtools/lib/option], [pmtools/lib/config]: option tables of PCP's commands; pcp.conf

Complete programs stand in docs/examples: watch (a host), fleet (many hosts), summarize (an archive),
derived (an expression), import (CSV into an archive). docs/pmapi.md maps the functions of PCP's
programmer's guide to these packages.
*/
package lib
