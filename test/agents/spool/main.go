// Command spool is an agent that watches a spool directory: how many files wait in
// each of its queues, which are directories, and how large they are.
package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
)

func main() {
	os.Exit(pmda.Main(newSpool, pmda.Flag{Short: 's', Name: "spool", Arg: "DIR", Usage: "watch DIR rather than SPOOL_DIR or /var/spool"}))
}

// spool is the agent.
type spool struct {
	dir    string
	queues pmda.Cache       // gives each queue a number
	files  map[int32]uint64 // by the number of a queue
	bytes  map[int32]uint64
}

// newSpool returns the agent for the directory of the option --spool, or of SPOOL_DIR.
func newSpool(o *pmda.Options) (pmda.Provider, error) {
	s := &spool{dir: cmp.Or(o.Flags["spool"], os.Getenv("SPOOL_DIR"), "/var/spool")}
	reading := &pmda.Reading{Read: s.read}
	queues := &pmda.InDom{
		Serial:     0,
		Cache:      &s.queues,
		Needs:      reading,
		OneLine:    "The queues of the spool directory",
		Labels:     `{"device_type":"queue"}`,
		InstLabels: func(inst int32) string { return fmt.Sprintf(`{"number":%d}`, inst) },
	}
	return pmda.New(pmda.Table{
		Domain: o.DomainOr(450),
		Labels: `{"agent":"spool"}`,
		Metrics: []pmda.Metric{{
			Name: "spool.directory", Cluster: 0, Item: 0,
			Type: pcp.String, Sem: pcp.Discrete,
			OneLine: "The spool directory",
			Fetch:   pmda.One(func() string { return s.dir }),
		}, {
			Name: "spool.queue.files", Cluster: 1, Item: 0, InDom: queues, Needs: reading,
			Type: pcp.Uint64, Sem: pcp.Instant, Units: pcp.Units{DimCount: 1},
			OneLine: "Number of files in each queue",
			Help:    "Directories within a queue are not counted, nor what is in them.",
			Fetch:   pmda.Each(func(inst int32) (uint64, error) { return s.files[inst], nil }),
		}, {
			Name: "spool.queue.size", Cluster: 1, Item: 1, InDom: queues, Needs: reading,
			Type: pcp.Uint64, Sem: pcp.Instant, Units: pcp.Units{DimSpace: 1, ScaleSpace: pcp.Byte},
			OneLine: "Size of the files in each queue",
			Fetch:   pmda.Each(func(inst int32) (uint64, error) { return s.bytes[inst], nil }),
		}},
	})
}

// read lists the queues and counts their files.
func (s *spool) read(context.Context, *pmda.Request) error {
	s.queues.DeactivateAll()
	s.files, s.bytes = map[int32]uint64{}, map[int32]uint64{}
	dirs, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, d := range dirs {
		if !d.IsDir() {
			continue
		}
		inst, err := s.queues.Add(d.Name())
		if err != nil {
			return err
		}
		files, err := os.ReadDir(filepath.Join(s.dir, d.Name()))
		if err != nil {
			continue // it is gone, or not for us
		}
		for _, f := range files {
			if fi, err := f.Info(); err == nil && fi.Mode().IsRegular() {
				s.files[inst]++
				s.bytes[inst] += uint64(fi.Size())
			}
		}
	}
	return nil
}
