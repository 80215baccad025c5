package main

import (
	"net"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/trace/agent"
	_ "pmtools/test/env"
)

// TestParse reads command lines.
func TestParse(t *testing.T) {
	for _, tt := range []struct {
		args, env string
		rest      string
		want      agent.Options
	}{
		{"", "", "", agent.Options{Port: 4323}},
		{"-d 10 -D appl0 -l x.log", "5000", "-d 10 -D appl0 -l x.log", agent.Options{Port: 5000}},
		{"-I99 -T 2min -N 12 -M pcp", "5000", "-U pcp", agent.Options{Port: 99, Period: 2 * time.Minute, Buckets: 12}},
		{"-U 1,-1,0,1,3,0 -V 0,0,1,0,0,3 --pmns -d10", "", "--pmns -d 10", agent.Options{
			Port: 4323, ObserveUnits: pcp.Units{DimSpace: 1, DimTime: -1, ScaleSpace: pcp.Kbyte, ScaleTime: pcp.Sec}, CounterUnits: pcp.Units{DimCount: 1, ScaleCount: 3},
		}},
		{"-l -I -? stray", "", "-l -I -? stray", agent.Options{Port: 4323}},
	} {
		rest, o, err := parse(append([]string{"pmdatrace"}, strings.Fields(tt.args)...), func(string) string { return tt.env })
		if err != nil || strings.Join(rest[1:], " ") != tt.rest || !reflect.DeepEqual(*o, tt.want) {
			t.Errorf("%s: %q, %+v, %v", tt.args, rest, o, err)
		}
	}
	_, o, err := parse([]string{"x", "-A", "disallow:*", "-A", "allow:127.0.0.1:2"}, func(string) string { return "" })
	if err != nil || len(o.Access) != 2 {
		t.Errorf("%+v, %v", o, err)
	}
}

// TestListen listens where no other host can connect, unless the options say otherwise.
func TestListen(t *testing.T) {
	for args, want := range map[string]string{
		"x -I 1": "127.0.0.1 ::1", "x --listen=*": "::", "x --listen 127.0.0.1 -I 1 --listen=[::1]": "127.0.0.1 ::1",
	} {
		rest, hosts, err := addresses(strings.Fields(args))
		if err != nil || strings.Contains(strings.Join(rest, " "), "listen") {
			t.Errorf("%s: %q, %v", args, rest, err)
		}
		list, err := listen(hosts, 0)
		if len(list) == 0 {
			t.Errorf("%s: %v", args, err)
		}
		for _, l := range list {
			host, _, err := net.SplitHostPort(l.Addr().String())
			if err != nil || !slices.Contains(strings.Fields(want), host) && !(want == "::" && host == "0.0.0.0") {
				t.Errorf("%s: listens at %s, want %s", args, host, want)
			}
			l.Close()
		}
	}
	for _, args := range []string{"x --listen", "x --listen="} {
		if _, _, err := addresses(strings.Fields(args)); err == nil || !strings.HasPrefix(err.Error(), "--listen requires") {
			t.Errorf("%s: %v", args, err)
		}
	}
	if list, err := listen([]string{"127.0.0.1", "192.0.2.1"}, 0); err == nil {
		t.Errorf("%d listeners at an address of another host", len(list))
	}
}

// TestParseErrors reads command lines that are wrong.
func TestParseErrors(t *testing.T) {
	for args, want := range map[string]string{
		"-I": "option requires an argument -- 'I'", "-I 0": "-I requires a port number", "-I 70000": "-I requires a port number", "-I -1": "-I requires a port number",
		"-N 0": `-N requires a positive number, not "0"`, "-N abc": `not "abc"`, "-T abc": "-T requires a time interval", "-T 0": "at least one second",
		"-U 1,2,3": "expected six numbers joined by commas, as 1,-1,0,1,3,0 for Kbyte/sec, not 3", "-V a,0,0,0,0,0": `the dimension of space is -8 to 7, not "a"`,
		"-U 0,0,0,7,0,0": `the scale of space is 0 to 6, not "7"`, "-U 0,0,0,0,6,0": `the scale of time is 0 to 5, not "6"`, "-U 0,0,0,0,0,8": "power of ten",
		"-A foo": "expected allow:HOST:MAXCONNS or disallow:HOST",
	} {
		if _, _, err := parse(append([]string{"x"}, strings.Fields(args)...), func(string) string { return "" }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
	if _, _, err := parse([]string{"x"}, func(string) string { return "x y" }); err == nil || !strings.HasPrefix(err.Error(), "PCP_TRACE_PORT: ") {
		t.Error(err)
	}
}
