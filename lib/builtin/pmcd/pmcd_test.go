package pmcd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
	"pmtools/lib/version"
	_ "pmtools/test/env"
)

// newTest returns a collector about the daemon.
func newTest(t *testing.T, root string) pmda.Provider {
	t.Helper()
	p, err := New(&Options{
		Agents:   []pcp.Instance{{ID: 2, Name: "pmcd"}, {ID: 29, Name: "sample"}},
		Hostname: func() (string, error) { return "here", nil },
		Root:     root, Zone: "AEST-10",
		Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// fetchNamed fetches one metric.
func fetchNamed(t *testing.T, p pmda.Provider, name string) pcp.Values {
	t.Helper()
	names := p.Names()
	i := slices.IndexFunc(names, func(n pmda.Name) bool { return n.Name == name })
	if i < 0 {
		t.Fatalf("no metric %s", name)
	}
	var res pcp.Result
	if err := p.Fetch(context.Background(), &pmda.Request{Client: new(pmda.Client), IDs: []pcp.ID{names[i].ID}}, &res); err != nil {
		t.Fatal(err)
	}
	return res.Sets[0]
}

// TestValues looks at the values that programs ask for. The numbers of metrics are those of PCP
// 7.2.
func TestValues(t *testing.T) {
	root := t.TempDir()
	if err := errors.Join(os.MkdirAll(filepath.Join(root, "run", "pcp"), 0o777), os.WriteFile(filepath.Join(root, "run", "pcp", "pmlogger.pid"), []byte("77\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	p := newTest(t, root)
	for _, c := range []struct {
		name  string
		id    pcp.ID
		typ   pcp.Type
		words []uint64
		texts []string
	}{
		{"pmcd.version", pcp.NewID(2, 0, 7), pcp.String, nil, []string{version.PCP}},
		{"pmcd.hostname", pcp.NewID(2, 0, 21), pcp.String, nil, []string{"here"}},
		{"pmcd.timezone", pcp.NewID(2, 0, 5), pcp.String, nil, []string{"AEST-10"}},
		{"pmcd.zoneinfo", pcp.NewID(2, 0, 26), pcp.String, nil, []string{"AEST-10"}},
		{"pmcd.services", pcp.NewID(2, 0, 16), pcp.String, nil, []string{"pmlogger"}},
		{"pmcd.labels", pcp.NewID(2, 0, 25), pcp.String, nil, []string{""}},
		{"pmcd.numagents", pcp.NewID(2, 0, 2), pcp.Uint32, []uint64{2}, nil},
		{"pmcd.numclients", pcp.NewID(2, 0, 3), pcp.Uint32, []uint64{1}, nil},
		{"pmcd.pid", pcp.NewID(2, 0, 23), pcp.Uint64, []uint64{uint64(os.Getpid())}, nil},
		{"pmcd.seqnum", pcp.NewID(2, 0, 24), pcp.Uint32, []uint64{1}, nil},
		{"pmcd.control.timeout", pcp.NewID(2, 0, 4), pcp.Uint32, []uint64{0}, nil},
		{"pmcd.control.register", pcp.NewID(2, 0, 8), pcp.Int32, make([]uint64, 16), nil},
		{"pmcd.agent.type", pcp.NewID(2, 4, 0), pcp.Uint32, []uint64{0, 0}, nil},
		{"pmcd.agent.status", pcp.NewID(2, 4, 1), pcp.Int32, []uint64{0, 0}, nil},
		{"pmcd.agent.name", pcp.NewID(2, 4, 3), pcp.String, nil, []string{"pmcd", "sample"}},
		{"pmcd.client.whoami", pcp.NewID(2, 6, 0), pcp.String, nil, []string{strings.Join(os.Args, " ")}},
		{"pmcd.client.start_date", pcp.NewID(2, 6, 1), pcp.String, nil, []string{"Fri Jan  2 03:04:05 2026"}},
		{"pmcd.client.container", pcp.NewID(2, 6, 2), pcp.String, nil, []string{""}},
		{"pmcd.feature.secure", pcp.NewID(2, 8, 0), pcp.Uint32, []uint64{0}, nil},
		{"pmcd.feature.local", pcp.NewID(2, 8, 8), pcp.Uint32, []uint64{1}, nil},
		{"pmcd.feature.client_cert_required", pcp.NewID(2, 8, 9), pcp.Uint32, []uint64{0}, nil},
	} {
		v := fetchNamed(t, p, c.name)
		var texts []string
		for _, b := range v.Blobs {
			texts = append(texts, string(b))
		}
		if v.ID != c.id || v.Type != c.typ {
			t.Errorf("%s: %+v, want %v %v %d %q", c.name, v, c.id, c.typ, c.words, c.texts)
		} else if v.Err != nil || !slices.Equal(v.Words, c.words) || !slices.Equal(texts, c.texts) {
			t.Errorf("%s: %+v, want %v %v %d %q", c.name, v, c.id, c.typ, c.words, c.texts)
		}
	}
	for _, name := range []string{"pmcd.datasize", "pmcd.cputime.total", "pmcd.simabi", "pmcd.build"} {
		if v := fetchNamed(t, p, name); v.Err != nil || v.Len() != 1 {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// TestStore stores to all metrics that can be changed.
func TestStore(t *testing.T) {
	ctx := context.Background()
	p := newTest(t, t.TempDir())
	register, whoami := pcp.NewID(2, 0, 8), pcp.NewID(2, 6, 0)
	for _, c := range []struct {
		name string
		set  pcp.Values
		want error
	}{
		{"two registers", pcp.Values{ID: register, Insts: []int32{3, 15}, Words: []uint64{7, 1<<64 - 8}}, nil},
		{"no register", pcp.Values{ID: register, Insts: []int32{16}, Words: []uint64{7}}, pmerr.Inst},
		{"below zero", pcp.Values{ID: register, Insts: []int32{-1}, Words: []uint64{7}}, pmerr.Inst},
		{"whoami", pcp.Values{ID: whoami, Type: pcp.String, Insts: []int32{0}, Blobs: [][]byte{[]byte("me")}}, nil},
		{"whoami of another", pcp.Values{ID: whoami, Type: pcp.String, Insts: []int32{1}, Blobs: [][]byte{[]byte("me")}}, pmerr.Permission},
		{"version", pcp.Values{ID: pcp.NewID(2, 0, 7), Insts: []int32{-1}, Blobs: [][]byte{[]byte("8")}}, pmerr.Permission},
	} {
		if err := p.(pmda.Storer).Store(ctx, nil, []pcp.Values{c.set}); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
	want := make([]uint64, 16)
	want[3], want[15] = 7, 1<<64-8
	if v := fetchNamed(t, p, "pmcd.control.register"); !slices.Equal(v.Words, want) {
		t.Errorf("registers %d, want %d", v.Words, want)
	}
	if v := fetchNamed(t, p, "pmcd.client.whoami"); string(v.Blobs[0]) != "me" {
		t.Errorf("whoami %q", v.Blobs)
	}
}

// TestZone finds out the zone of a host.
func TestZone(t *testing.T) {
	for _, c := range []struct {
		name, tz, link, file string
		timezone, zoneinfo   string
	}{
		{"variable", "Europe/Berlin", "", "", "Europe/Berlin", ""},
		{"variable with a file", ":Europe/Berlin", "", "", ":Europe/Berlin", ":Europe/Berlin"},
		{"link", "X1", "/usr/share/zoneinfo/Europe/Paris", "", "X1", ":Europe/Paris"},
		{"link elsewhere", "X1", "/somewhere/else", "", "X1", ""},
		{"file", "X1", "", "Asia/Tokyo\n", "X1", ":Asia/Tokyo"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			if err := os.Mkdir(filepath.Join(root, "etc"), 0o777); err != nil {
				t.Fatal(err)
			}
			t.Setenv("TZ", c.tz)
			if c.link != "" {
				if err := os.Symlink(c.link, filepath.Join(root, "etc", "localtime")); err != nil {
					t.Skip(err)
				}
			}
			if c.file != "" {
				if err := os.WriteFile(filepath.Join(root, "etc", "timezone"), []byte(c.file), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			p, err := New(&Options{Root: root})
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range map[string]string{"pmcd.timezone": c.timezone, "pmcd.zoneinfo": c.zoneinfo} {
				if v := fetchNamed(t, p, name); string(v.Blobs[0]) != want {
					t.Errorf("%s is %q, want %q", name, v.Blobs[0], want)
				}
			}
		})
	}
}

func TestArchitecture(t *testing.T) {
	if got := architecture(); got == "" || runtime.GOARCH == "amd64" && got != "x86_64" {
		t.Errorf("%q", got)
	}
}
