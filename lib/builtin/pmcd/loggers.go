package pmcd

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pmtools/lib/builtin/internal/catalog"
	"pmtools/lib/builtin/internal/host"
	"pmtools/lib/pcp"
	"pmtools/lib/pmda"
	"pmtools/lib/safefile"
)

// Programs of PCP that run for long leave a file below this directory, named by their numbers:
// pmlogger a text, pmie a structure that it maps and keeps up to date.
const tmpDir = "var/lib/pcp/tmp"

// Layout of a file of pmie: two paths and a host, each a string in a field, and words in the byte
// order of the machine.
const (
	pmiePath  = 4097 // bytes of a field with a path
	pmieHost  = 64
	pmieWords = 8260
	pmieSize  = 8292
)

// pmieMetrics names the words of a file of pmie, in their order.
var pmieMetrics = [...]string{"eval.expected", "numrules", "actions", "eval.true", "eval.false", "eval.unknown", "eval.actual"}

const maxProgramFile = 1 << 16 // bytes

type program struct {
	pid   int32
	texts map[string]string
	words map[string]uint32
}

func (p *collector) addPrograms(list *catalog.Catalog) {
	for _, kind := range []struct {
		name, serial string
		parse        func(content []byte, x *program) bool
	}{{"pmlogger", "1", p.parseLogger}, {"pmie", "4", parseInference}} {
		var programs []program
		reading := &pmda.Reading{Read: func(context.Context, *pmda.Request) error {
			programs = p.programs(kind.name, kind.parse)
			return nil
		}}
		d := list.InDoms[kind.serial]
		d.Needs, d.InstLabels = reading, pmda.NoLabels
		d.List = func() (instances []pcp.Instance, err error) {
			for _, x := range programs {
				instances = append(instances, pcp.Instance{ID: x.pid, Name: strconv.Itoa(int(x.pid))})
			}
			return instances, nil
		}
		for i := range list.Metrics {
			m := &list.Metrics[i]
			key, own := strings.CutPrefix(m.Name, "pmcd."+kind.name+".")
			if !own {
				continue
			}
			m.Needs = reading
			m.Fetch = func(c *pmda.Column) error {
				for _, x := range programs {
					switch word := x.words[key]; m.Type {
					case pcp.String:
						c.Text(x.pid, x.texts[key])
					case pcp.Float:
						c.Float(x.pid, float64(math.Float32frombits(word)))
					default:
						c.Uint(x.pid, uint64(word))
					}
				}
				return nil
			}
		}
	}
}

func (p *collector) programs(kind string, parse func([]byte, *program) bool) []program {
	dir := filepath.Join(p.host.Dir(), filepath.FromSlash(tmpDir), kind)
	entries, _ := os.ReadDir(dir) // without the directory no program of the kind has run
	var list []program
	for _, e := range entries {
		pid, err := strconv.ParseUint(e.Name(), 10, 31)
		if err != nil || !host.Alive(int(pid)) {
			continue
		}
		content, err := safefile.Read(filepath.Join(dir, e.Name()), maxProgramFile)
		x := program{pid: int32(pid), texts: map[string]string{}, words: map[string]uint32{}}
		if err == nil && parse(content, &x) {
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(a, b program) int { return int(a.pid) - int(b.pid) })
	return list
}

// parseLogger reads the file of a pmlogger: its port, the daemon's host, the archive and a note, each
// a line.
func (p *collector) parseLogger(content []byte, x *program) bool {
	lines := append(strings.Split(string(content), "\n"), "", "", "")
	port, err := strconv.ParseUint(lines[0], 10, 16)
	x.words["port"] = uint32(port)
	x.texts["pmcd_host"], x.texts["archive"], x.texts["note"], x.texts["host"] = lines[1], lines[2], lines[3], p.host.Name()
	return err == nil
}

func parseInference(content []byte, x *program) bool {
	if len(content) < pmieSize {
		return false
	}
	text := func(at, size int) string {
		s, _, _ := bytes.Cut(content[at:at+size], []byte{0})
		return string(s)
	}
	x.texts["configfile"], x.texts["logfile"], x.texts["pmcd_host"] = text(0, pmiePath), text(pmiePath, pmiePath), text(2*pmiePath, pmieHost)
	for i, key := range pmieMetrics {
		x.words[key] = binary.NativeEndian.Uint32(content[pmieWords+4*i:])
	}
	return true
}
