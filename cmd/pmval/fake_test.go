package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"pmtools/cmd/internal/cli"
	"pmtools/cmd/internal/command"
	"pmtools/lib/pcp"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// A fakeSource is a live source of one metric whose samples are scripted.
type fakeSource struct {
	pmapi.Source // nil: what is not scripted is not called
	desc         pcp.Desc
	insts        [][]pcp.Instance // answers of Instances, the last one for ever
	script       []fakeSample
	asked        int
	stored       []pcp.Values
	storeErr     error
	reconnects   int
	refuse       int // how many attempts to reconnect fail
}

// A fakeSample is what one fetch gives.
type fakeSample struct {
	sec    int64
	values map[int32]uint64
	code   pmerr.Code // of the metric
	err    error      // of the fetch
}

func (f *fakeSource) Lookup(_ context.Context, names []string) ([]pcp.Answer[pcp.ID], error) {
	rs := make([]pcp.Answer[pcp.ID], len(names))
	for i, n := range names {
		switch n {
		case "m", "pmcd.client.whoami":
			rs[i].Value = f.desc.ID
		default:
			rs[i] = pcp.Answer[pcp.ID]{Value: pcp.NullID, Err: pmerr.Name}
		}
	}
	return rs, nil
}

func (f *fakeSource) Describe(context.Context, []pcp.ID) ([]pcp.Answer[pcp.Desc], error) {
	return []pcp.Answer[pcp.Desc]{{Value: f.desc}}, nil
}

func (f *fakeSource) Instances(context.Context, []pcp.InDom, pmapi.When) ([]pcp.Answer[[]pcp.Instance], error) {
	insts := f.insts[0]
	if len(f.insts) > 1 {
		f.insts = f.insts[1:]
	}
	return []pcp.Answer[[]pcp.Instance]{{Value: insts}}, nil
}

func (f *fakeSource) LookupInst(ctx context.Context, d pcp.InDom, name string) (int32, error) {
	insts, err := pmapi.InstancesOf(ctx, f, d, pmapi.Now())
	for _, in := range insts {
		if in.Name == name {
			return in.ID, err
		}
	}
	return 0, pmerr.Inst
}

func (f *fakeSource) Fetch(_ context.Context, req *pmapi.Request, dst *pcp.Result) error {
	if len(f.script) == f.asked {
		return pmerr.IPC
	}
	s := f.script[f.asked]
	f.asked++
	if s.err != nil {
		return s.err
	}
	dst.Reset(1)
	dst.Time = pcp.Timestamp{Sec: s.sec}
	v := &dst.Sets[0]
	v.Reset(req.IDs[0], f.desc.Type)
	v.Err = s.code.Err()
	for inst := int32(-1); inst < 100; inst++ {
		if w, ok := s.values[inst]; ok {
			v.Insts, v.Words = append(v.Insts, inst), append(v.Words, w)
		}
	}
	return nil
}

func (f *fakeSource) Store(_ context.Context, sets []pcp.Values) error {
	f.stored = append(f.stored, sets...)
	return f.storeErr
}

func (f *fakeSource) Reconnect(context.Context) error {
	f.reconnects++
	if f.reconnects <= f.refuse {
		return errors.New("refused")
	}
	return nil
}

func (f *fakeSource) Close() error { return nil }

// live runs pmval over a fake source, and returns its output and status.
func live(t *testing.T, f *fakeSource, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	env := &cli.Env{
		Prog: "pmval", Args: args, Stdout: &out, Stderr: &errs,
		LookupEnv: func(name string) (string, bool) {
			tz, set := map[string]string{"TZ": "UTC"}[name]
			return tz, set
		},
		Open:     func(string) (io.ReadCloser, error) { return nil, os.ErrNotExist },
		Hostname: func() (string, error) { return "", os.ErrNotExist },
		Now:      func() time.Time { return time.Unix(1000, 0) },
	}
	status = cli.Run(context.Background(), env, func(env *cli.Env) *command.Command {
		c := newCommand(env)
		c.Run = func(ctx context.Context, _ []string) error {
			fl := currentFlags(args)
			s := &session{flags: fl, env: env, options: &c.Options, opened: opened{src: f}}
			return s.run(ctx, "m")
		}
		return c
	})
	return out.String(), errs.String(), status
}

// currentFlags reads the flags that tests over a fake source use; the others are those of the
// options that commands share.
func currentFlags(args []string) *flags {
	fl := &flags{precision: -1}
	for i, a := range args {
		switch a {
		case "-r":
			fl.raw = true
		case "--reconnect":
			fl.reconnect = true
		case "-x":
			fl.filter, fl.hasFilter = args[i+1], true
		case "-i":
			_ = fl.add(args[i+1])
		}
	}
	return fl
}

// Host is asked where there is no daemon.
func (f *fakeSource) Host() (name, zone string) { return "here", "" }
