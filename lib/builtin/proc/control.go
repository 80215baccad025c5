package proc

import (
	"bytes"
	"slices"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

// An attention says which processes a client sees.
type attention struct {
	threads bool   // and their threads
	cgroup  string // those in a control group only; "" means all
}

// stores returns what may be stored, by the names of metrics.
func (p *collector) stores() map[string]func(*pmda.Client, *pcp.Values) error {
	return map[string]func(*pmda.Client, *pcp.Values) error{
		"proc.control.all.threads": rootOnly(func(v *pcp.Values) error {
			if v.Words[0] > 1 {
				return pmerr.BadStore
			}
			p.threads = v.Words[0] == 1
			return nil
		}),
		"proc.control.perclient.threads": p.storeAttention(func(a *attention, v *pcp.Values) { a.threads = v.Words[0] != 0 }),
		"proc.control.perclient.cgroups": p.storeAttention(func(a *attention, v *pcp.Values) { a.cgroup = string(v.Blobs[0]) }),
		"acct.control.lifetime": rootOnly(func(v *pcp.Values) error {
			p.lifetime = v.Words[0]
			return nil
		}),
		"hotproc.control.refresh":       rootOnly(p.hot.storeRefresh),
		"hotproc.control.config":        rootOnly(p.hot.storeConfig),
		"hotproc.control.reload_config": rootOnly(func(*pcp.Values) error { return p.hot.load() }),
	}
}

// rootOnly returns a store that only the superuser may do.
func rootOnly(store func(*pcp.Values) error) func(*pmda.Client, *pcp.Values) error {
	return func(c *pmda.Client, v *pcp.Values) error {
		if c != nil && c.Attrs[pmda.UserID] != "0" {
			return pmerr.Permission
		}
		return store(v)
	}
}

// attentionOf returns what a client sees.
func (p *collector) attentionOf(c *pmda.Client) attention {
	if a, ok := p.attention[c]; ok {
		return a
	}
	return attention{threads: p.threads}
}

// storeAttention returns a store that changes what one client sees.
func (p *collector) storeAttention(set func(*attention, *pcp.Values)) func(*pmda.Client, *pcp.Values) error {
	return func(c *pmda.Client, v *pcp.Values) error {
		if c == nil || len(c.Attrs) == 0 {
			return pmerr.NoContext
		}
		a := p.attentionOf(c)
		set(&a, v)
		p.attention[c] = a
		return nil
	}
}

// addControl adds what the settings are.
func (p *collector) addControl() {
	p.Table("control", "the collector's settings", func(t *procfs.Table, req *pmda.Request) error {
		r, own := t.Row(pcp.NullInst), p.attentionOf(req.Client)
		for key, on := range map[string]bool{"all": p.threads, "threads": own.threads} {
			t.Cell(r, []byte(key)).SetUint(0)
			if on {
				t.Cell(r, []byte(key)).SetUint(1)
			}
		}
		t.Cell(r, []byte("cgroup")).SetString(own.cgroup)
		return nil
	})
}

// restrict leaves only the processes in the client's control group.
func (p *collector) restrict(group string) {
	if group == "" {
		return
	}
	p.pids = slices.DeleteFunc(p.pids, func(pid int32) bool {
		text, err := p.read(pid, "cgroup")
		if err != nil {
			return true
		}
		for line := range procfs.Lines(text) {
			if bytes.HasSuffix(line, []byte(":"+group)) {
				return false
			}
		}
		return true
	})
}
