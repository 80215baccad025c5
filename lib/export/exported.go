package export

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Tables are those that exports have written: all of a Store, or one file of the table of metrics.
type Tables struct {
	Store
	File  string   // of metrics, below the Store; "" for all
	Hosts []string // those that count, none for all
}

func (t *Tables) counts(host string) bool { return len(t.Hosts) == 0 || slices.Contains(t.Hosts, host) }

// metricFiles returns the files of the table of metrics.
func (t *Tables) metricFiles(ctx context.Context) ([]string, error) {
	if t.File != "" {
		return []string{t.File}, nil
	}
	files, err := t.parquetFiles(ctx, "metrics")
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: no table of metrics; want %s, as pmderive export writes it", t.Name(""), t.Name("metrics/host=*"))
	}
	return files, err
}

// parquetFiles returns the files in the directories of hosts below a directory, and then those in it.
func (t *Tables) parquetFiles(ctx context.Context, dir string) (files []string, err error) {
	names, err := t.List(ctx, dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !isHost(name) {
			continue
		}
		below, err := t.List(ctx, path.Join(dir, name))
		if err != nil {
			return nil, err
		}
		files = append(files, onlyParquet(path.Join(dir, name), below)...)
	}
	return append(files, onlyParquet(dir, names)...), nil
}

// HostDirs returns the directories of hosts in a table, of those that have files: none without the partition host.
func (t *Tables) HostDirs(ctx context.Context, table string, hosts []string) (dirs []string, err error) {
	names, err := t.List(ctx, table)
	for _, name := range names {
		host, ok := hostOfDir(path.Join(name, "file"))
		if err != nil || !ok || !isHost(name) || !slices.Contains(hosts, host) {
			continue
		}
		var files bool
		if files, err = t.hasFiles(ctx, path.Join(table, name)); files {
			dirs = append(dirs, strings.TrimSuffix(name, "/"))
		}
	}
	return dirs, err
}

// hasFiles reports whether there are files of a table in a directory, or in those of dates below it.
func (t *Tables) hasFiles(ctx context.Context, dir string) (bool, error) {
	names, err := t.List(ctx, dir)
	for _, name := range names {
		if err != nil {
			break
		}
		has := path.Ext(name) == ".parquet"
		if strings.HasPrefix(name, "date=") {
			has, err = t.hasFiles(ctx, path.Join(dir, name))
		}
		if has {
			return true, err
		}
	}
	return false, err
}

// isHost reports whether a name of List is that of a host's directory.
func isHost(name string) bool {
	return strings.HasPrefix(name, "host=") && strings.HasSuffix(name, "/")
}

func onlyParquet(dir string, names []string) (files []string) {
	for _, name := range names {
		if path.Ext(name) == ".parquet" {
			files = append(files, path.Join(dir, name))
		}
	}
	return files
}

// A metricsRead is a file of the table of metrics.
type metricsRead struct {
	rows   []metricRow
	host   string
	micros bool
	labels bool // see manifest.labelling
	err    error
}

// Layout returns the partition of the tables, and whether their times are microseconds. Tables that are not there have
// nanoseconds, by host and date.
func (t *Tables) Layout(ctx context.Context) (p Partition, micros bool, err error) {
	metrics, err := t.List(ctx, "metrics")
	if err == nil {
		micros, _, err = resolutionOf(ctx, t, false)
	}
	if err != nil {
		return p, false, err
	}
	p.NoHost = len(onlyParquet("", metrics)) > 0
	values, err := t.List(ctx, "values")
	p.NoDate = len(onlyParquet("", values)) > 0
	for _, name := range values {
		if err != nil || p.NoDate {
			break
		}
		var below []string
		if isHost(name) {
			below, err = t.List(ctx, path.Join("values", name))
		}
		if p.NoDate = len(onlyParquet("", below)) > 0; len(below) > 0 {
			break // the others are like it
		}
	}
	return p, micros, err
}

// TablesOf returns the directory of the tables of which one of metrics is a part, or its URL.
func TablesOf(catalog string) string {
	if catalog == "" {
		return "export"
	}
	scheme, below, ok := strings.Cut(catalog, "://")
	if !ok {
		return tablesOf(catalog, filepath.Dir, filepath.Base)
	}
	return scheme + "://" + tablesOf(below, path.Dir, path.Base)
}

func tablesOf(catalog string, dir, base func(string) string) string {
	host := dir(catalog)
	switch {
	case path.Ext(catalog) != ".parquet":
		return catalog // which may be below a directory of that name
	case base(host) == "metrics":
		return dir(host)
	case strings.HasPrefix(base(host), "host=") && base(dir(host)) == "metrics":
		return dir(dir(host))
	}
	return catalog
}
