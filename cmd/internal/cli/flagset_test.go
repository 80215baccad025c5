package cli

import (
	"context"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestSharedFlags(t *testing.T) {
	c := Plain(&Env{}, func(context.Context, []string) error { return nil })
	fs := pflag.NewFlagSet("x", pflag.ContinueOnError)
	c.SharedFlags(fs, "archive", "host", "local-PMDA", "interval", "debug")
	if err := fs.Parse([]string{"-a", "one", "--archive=two", "-L", "-t", "2min", "-Dderive", "rest"}); err != nil {
		t.Fatal(err)
	}
	o := &c.Options
	if o.Archive != "one,two" || !o.Local || o.Interval.Minutes() != 2 || !o.Debug.Has("derive") || fs.Arg(0) != "rest" {
		t.Errorf("%+v", o)
	}
	if err := fs.Parse([]string{"-h", "x"}); err == nil || !strings.Contains(err.Error(), "only one host or archive allowed") {
		t.Errorf("two sources: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("an option that does not exist is taken")
		}
	}()
	c.SharedFlags(fs, "nosuch")
}

func TestReadEnvironment(t *testing.T) {
	vars := map[string]string{"PCP_HOST": "somewhere", "PCP_SAMPLES": "x", "PCP_CONTAINER": "c"}
	env := &Env{LookupEnv: func(name string) (string, bool) { v, ok := vars[name]; return v, ok }}
	c := Plain(env, nil)
	err := c.ReadEnvironment()
	if err == nil || !strings.HasPrefix(err.Error(), "$PCP_SAMPLES: ") {
		t.Errorf("a bad variable: %v", err)
	}
	if c.Options.Host != "somewhere" || c.Options.Container != "c" {
		t.Errorf("%+v", c.Options)
	}
}
