// Package reports finds the reports of this machine for a command, and lists them.
package reports

import (
	"context"
	"errors"
	"sync"

	"github.com/spf13/pflag"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/report"
	"pmtools/derive"
	"pmtools/derive/query"
	"pmtools/lib/option"
)

// Reports are the reports of the files that options name, or else of those of the machine.
type Reports struct {
	paths []string
	read  func() (*report.Library, error) // once; nil before Begin
}

// Add adds the option that names files.
func (r *Reports) Add(fs *pflag.FlagSet) {
	fs.Func("config", "read reports, such as :vmstat, from `FILE` or directory, instead of pmrep.conf and its like", func(path string) error {
		r.paths = append(r.paths, path)
		return nil
	})
}

// Begin begins to read the files, while the command does something else. It needs none of env afterwards.
func (r *Reports) Begin(env *cli.Env) {
	r.prepare(env)
	go r.read()
}

// Library returns the reports.
func (r *Reports) Library(env *cli.Env) (*report.Library, error) {
	if r.read == nil {
		r.prepare(env)
	}
	return r.read()
}

// prepare decides which files are read.
func (r *Reports) prepare(env *cli.Env) {
	if len(r.paths) == 0 {
		home, _ := env.LookupEnv("HOME")
		places := report.Places(home, env.Config().Get("PCP_SYSCONF_DIR"))
		r.read = sync.OnceValues(func() (*report.Library, error) { return report.Open(places) })
		return
	}
	r.read = sync.OnceValues(func() (lib *report.Library, err error) {
		lib = report.New()
		for _, path := range r.paths {
			err = errors.Join(err, lib.Load(path))
		}
		return lib, err
	})
}

// Expand puts the columns of reports that fit a source in the place of their names. Why others are left
// out goes to tell. Times that a report asks for hold unless the options have them.
func (r *Reports) Expand(ctx context.Context, env *cli.Env, o *option.Options, src *query.Source, defs *derive.Set, args []string, tell func(error)) (*report.Expansion, error) {
	lib, err := r.Library(env)
	if err != nil {
		return nil, err
	}
	x, err := lib.Expand(ctx, src, defs, args)
	if err != nil {
		return nil, err
	}
	for _, p := range x.Left {
		tell(p)
	}
	if d, ok := x.Interval(); ok && !o.HasInterval && (d > 0 || src.Line != nil) {
		o.Interval, o.HasInterval = d, true
	}
	if n := x.Samples(); n > 0 && !o.HasSamples {
		o.Samples, o.HasSamples = n, true
	}
	return x, nil
}

// Plain puts the metrics and the formulas of reports in the place of their names, without conversions.
func (r *Reports) Plain(ctx context.Context, env *cli.Env, src *query.Source, defs *derive.Set, args []string, tell func(error)) ([]string, error) {
	if !report.Named(args) {
		return args, nil
	}
	x, err := r.Expand(ctx, env, &option.Options{HasInterval: true, HasSamples: true}, src, defs, args, tell)
	if err != nil {
		return nil, err
	}
	for _, p := range x.Unselected() {
		tell(p)
	}
	return x.Plain, nil
}
