package export

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pmtools/lib/archive"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// Recordings splits a list of archives, or the archives of a directory, into one list per host: each list
// is exported as one recording.
func Recordings(ctx context.Context, list string) (sets []string, err error) {
	info, err := os.Stat(list)
	if err != nil || !info.IsDir() {
		return []string{list}, nil // an archive or a list of archives of one host
	}
	names, err := archive.List(list)
	if err != nil {
		return nil, err
	}
	var hosts []string
	for _, name := range names {
		host := ""
		if s, err := archive.Open(ctx, name, nil); err == nil { // otherwise its export says why not
			host = s.Label().Host
			s.Close()
		}
		if i := slices.Index(hosts, host); i >= 0 && host != "" {
			sets[i] += "," + name
			continue
		}
		hosts, sets = append(hosts, host), append(sets, name)
	}
	return sets, nil
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
