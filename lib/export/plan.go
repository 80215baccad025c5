package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
}

// chains returns lists of archives that follow each other. Archives overlap while old ones have been merged
// and are not removed yet.
func chains(list []span) (sets []string) {
	slices.SortStableFunc(list, func(a, b span) int {
		return cmp.Or(a.start.Compare(b.start), b.end.Compare(a.end))
	})
	var ends []span
	for _, r := range list {
		i := slices.IndexFunc(ends, func(e span) bool { return e.start.Compare(r.start) < 0 && e.end.Compare(r.start) <= 0 })
		if i < 0 {
			ends, sets = append(ends, r), append(sets, r.name)
			continue
		}
		ends[i] = r
		sets[i] += "," + r.name
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

// Conflict returns an error that names a metric which archives of a set describe differently, and two
// of these archives, if that is why the set could not be opened; otherwise it returns why.
func Conflict(ctx context.Context, set string, why error) error {
	changes := []pmerr.Code{pmerr.LogChangeType, pmerr.LogChangeSem, pmerr.LogChangeInDom, pmerr.LogChangeUnits}
	if !slices.ContainsFunc(changes, func(c pmerr.Code) bool { return errors.Is(why, c) }) {
		return why
	}
	type described struct {
		desc    pcp.Desc
		archive string
	}
	first := make(map[pcp.ID]described)
	names, _ := archive.List(set)
	for _, name := range names {
		s, err := archive.Open(ctx, name, nil)
		if err != nil {
			return err
		}
		err = nil
		s.Walk("", func(metric string, id pcp.ID) bool {
			d, e := s.Desc(id)
			old, ok := first[id]
			if e == nil && !ok {
				first[id] = described{d, name}
			} else if e == nil && old.desc != d {
				err = fmt.Errorf("%w: %s (%v) is %s in %s, but %s in %s; export these to directories of their own",
					why, metric, id, descText(old.desc), old.archive, descText(d), name)
			}
			return err == nil
		})
		if s.Close(); err != nil {
			return err
		}
	}
	return why
}

func descText(d pcp.Desc) string {
	return strings.TrimSuffix(fmt.Sprintf("%s, %s, indom %v, %s", d.Type.Text(), d.Sem.Text(), d.InDom, d.Units), ", ")
}
