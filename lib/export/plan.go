package export

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// Recordings splits the archives of a directory into lists that are exported as one recording each: the
// archives of one machine, as far as they follow each other. A list of archives is split the same way.
// Those that have the same host name are in one list. A directory without archives stands for those below it.
func Recordings(ctx context.Context, list string) (sets [][]string, err error) {
	info, err := os.Stat(list)
	isDir := err == nil && info.IsDir()
	if !isDir && !strings.Contains(list, ",") {
		return [][]string{{list}}, nil
	}
	names, err := archive.List(list)
	if isDir && errors.Is(err, pmerr.LogFile) {
		names, err = below(list, err)
	}
	if err != nil {
		return nil, err
	}
	var hosts []string
	of := make(map[string][]span)
	on := make(map[string][]string) // machines by host name
	opt := &archive.Options{Directories: new(archive.Directories)}
	for _, name := range names {
		r, host, machine := span{name: name}, "", ""
		if s, err := archive.Open(ctx, name, opt); err == nil { // otherwise its export says why not
			host = s.Label().Host
			machine = host + "\x00" + recordedMachine(ctx, s)
			r.start = s.Label().Start
			if r.end, err = s.End(ctx); err != nil {
				r.end = r.start
			}
			r.descs = s.Descs()
			s.Close()
		} else if ctx.Err() != nil {
			return nil, ctx.Err()
		} else {
			machine = "\x00\x00" + name
			host = machine
		}
		if on[host] == nil {
			hosts = append(hosts, host)
		}
		if _, known := of[machine]; !known {
			on[host] = append(on[host], machine)
		}
		if n := len(of[machine]); n > 0 && maps.Equal(of[machine][n-1].descs, r.descs) {
			r.descs = of[machine][n-1].descs // which take no memory of their own
		}
		of[machine] = append(of[machine], r)
	}
	for _, host := range hosts {
		var list []string
		for _, machine := range on[host] {
			list = append(list, chains(of[machine])...)
		}
		sets = append(sets, list)
	}
	return sets, nil
}

// below returns the archives of all directories below one, or an error if there are none.
func below(dir string, none error) (names []string, err error) {
	l := newListing(dir, "", 0)
	l.look(time.Now())
	for _, f := range l.folders {
		err = cmp.Or(err, f.err)
		for _, a := range f.archives {
			names = append(names, a.base)
		}
	}
	if len(names) == 0 {
		err = cmp.Or(err, none)
	}
	return names, err
}

type span struct {
	name       string
	start, end pcp.Timestamp
	descs      map[pcp.ID]pcp.Desc
}

// A chain is archives that follow each other and describe their metrics alike.
type chain struct {
	names []string
	last  span
	descs map[pcp.ID]pcp.Desc // what the archives say of their metrics
}

// takes reports whether an archive may follow those of the chain.
func (c *chain) takes(r *span) bool {
	if c.last.start.Compare(r.start) >= 0 || c.last.end.Compare(r.start) > 0 {
		return false
	}
	for id, d := range r.descs {
		if was, ok := c.descs[id]; ok && was != d {
			return false
		}
	}
	return true
}

// add adds an archive.
func (c *chain) add(r *span) {
	c.names, c.last = append(c.names, r.name), *r
	maps.Copy(c.descs, r.descs)
}

// chains returns lists of archives that follow each other. Archives overlap while old ones have been merged
// and are not removed yet. An archive that describes a metric otherwise than those before begins a list: after an upgrade.
func chains(list []span) (sets []string) {
	slices.SortStableFunc(list, func(a, b span) int {
		return cmp.Or(a.start.Compare(b.start), b.end.Compare(a.end))
	})
	var all []*chain
	for i := range list {
		r := &list[i]
		n := slices.IndexFunc(all, func(c *chain) bool { return c.takes(r) })
		if n < 0 {
			n, all = len(all), append(all, &chain{descs: make(map[pcp.ID]pcp.Desc)})
		}
		all[n].add(r)
	}
	for _, c := range all {
		sets = append(sets, strings.Join(c.names, ","))
	}
	return sets
}

// NameOf returns the name of an archive without its directory and the suffix of a file.
func NameOf(path string) string {
	name := filepath.Base(path)
	for _, end := range []string{".meta", ".index"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}
