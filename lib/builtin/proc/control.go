package proc

import (
	"bytes"
	"slices"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/pmerr"
)

type selection struct {
	threads bool   // threads are instances too
	cgroup  string // only the processes of a control group; "" means all
}

func (p *collector) stores() map[string]func(*pmda.Client, *pcp.Values) error {
	return map[string]func(*pmda.Client, *pcp.Values) error{
		"proc.control.all.threads": rootOnly(func(v *pcp.Values) error {
			if v.Words[0] > 1 {
				return pmerr.BadStore
			}
			p.threads = v.Words[0] == 1
			return nil
		}),
		"proc.control.perclient.threads": p.storeSelection(func(a *selection, v *pcp.Values) { a.threads = v.Words[0] != 0 }),
		"proc.control.perclient.cgroups": p.storeSelection(func(a *selection, v *pcp.Values) { a.cgroup = string(v.Blobs[0]) }),
		"acct.control.lifetime": rootOnly(func(v *pcp.Values) error {
			p.lifetime = v.Words[0]
			return nil
		}),
		"hotproc.control.refresh": rootOnly(func(v *pcp.Values) error {
			p.hot.interval, p.hot.at = v.Words[0], p.hot.now()
			p.hot.forget()
			return nil
		}),
		"hotproc.control.config":        rootOnly(p.hot.storeConfig),
		"hotproc.control.reload_config": rootOnly(func(*pcp.Values) error { return p.hot.load() }),
	}
}

func rootOnly(store func(*pcp.Values) error) func(*pmda.Client, *pcp.Values) error {
	return func(c *pmda.Client, v *pcp.Values) error {
		if c != nil && c.Attrs[pmda.UserID] != "0" {
			return pmerr.Permission
		}
		return store(v)
	}
}

func (p *collector) selectionOf(c *pmda.Client) selection {
	if a, ok := p.selections[c]; ok {
		return a
	}
	return selection{threads: p.threads}
}

func (p *collector) storeSelection(set func(*selection, *pcp.Values)) func(*pmda.Client, *pcp.Values) error {
	return func(c *pmda.Client, v *pcp.Values) error {
		if c == nil || len(c.Attrs) == 0 {
			return pmerr.NoContext
		}
		a := p.selectionOf(c)
		set(&a, v)
		p.selections[c] = a
		return nil
	}
}

func (p *collector) addControl() {
	p.Table("control", "the collector's settings", func(t *procfs.Table, req *pmda.Request) error {
		r, own := t.Row(pcp.NullInst), p.selectionOf(req.Client)
		for key, on := range map[string]bool{"all": p.threads, "threads": own.threads} {
			t.Cell(r, []byte(key)).SetBool(on)
		}
		t.Cell(r, []byte("cgroup")).SetString(own.cgroup)
		return nil
	})
}

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
