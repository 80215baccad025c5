package proc

import (
	"bytes"
	"cmp"
	_ "embed"
	"maps"
	"strings"
	"time"

	"pmtools/lib/builtin/internal/procfs"
	"pmtools/lib/pcp"
)

// The metrics hotproc are the metrics of proc for the processes that a predicate chooses. A request
// evaluates the predicate if the last evaluation is longer ago than the interval. They have tables
// of their own, filled by a second collector.

const hotSerial = 39 // serial number of the instance domain of the chosen processes

// hotMetrics are the metrics that proc does not have.
//
//go:embed hotproc.txt
var hotMetrics string

const hotConfig = "var/lib/pcp/pmdas/proc/hotproc.conf" // the file with the predicate

// hotText returns the list of the metrics of hotproc that have the values of metrics of proc.
func hotText() string {
	hotClusters := map[string]string{ // clusters of hotproc by the clusters of proc
		"8": "52", "9": "53", "11": "54", "12": "55", "24": "56", "31": "57", "32": "58", "33": "34", "51": "59", "62": "63", "69": "71",
		"72": "73", "74": "75", "77": "78", "79": "80",
	}
	var b strings.Builder
	b.WriteString(hotMetrics)
	for line := range strings.Lines(metricsText) {
		name, rest, _ := strings.Cut(line, " ")
		cluster, more, _ := strings.Cut(rest, ".")
		if hot := hotClusters[cluster]; hot != "" && strings.HasPrefix(name, "proc.") {
			b.WriteString("hot" + name + " " + hot + "." + strings.Replace(more, " 9 ", " 39 ", 1))
		}
	}
	return b.String()
}

// hotFiles are the sources of the variables: sums of numbers in files of processes.
var hotFiles = [...]struct {
	file  string
	parse func(t *procfs.Table, r *procfs.Row, text []byte)
	cells []hotCell
}{
	{"stat", parseStat, []hotCell{{"14", "cpuburn"}, {"15", "cpuburn"}, {"42", "iowait"}, {"23", "virtualsize"}, {"24", "residentsize"}}},
	{"status", parseStatus, []hotCell{
		{"Uid.1", "uid"}, {"Gid.1", "gid"}, {"voluntary_ctxt_switches", "ctxswitch"}, {"nonvoluntary_ctxt_switches", "ctxswitch"},
	}},
	{"io", procfs.Keyed, []hotCell{{"read_bytes", "iodemand"}, {"write_bytes", "iodemand"}}},
	{"schedstat", procfs.Fields, []hotCell{{"2", "schedwait"}}},
}

type hotCell struct{ key, name string }

var hotRates = [...]string{"cpuburn", "iowait", "schedwait", "iodemand", "ctxswitch", "syscalls"}

// A hotSample is a process at the last refresh.
type hotSample struct {
	used map[string]float64 // usage so far, in the units of the variables
	vars hotVars
	hot  bool
}

type hotList struct {
	p         *collector
	now       func() time.Time
	predicate *predicate
	changes   uint64 // number of changes of the predicate
	interval  uint64 // seconds
	loaded    bool
	at        time.Time // time of the samples
	samples   map[int32]*hotSample
	busy      float64 // seconds of all processors
	idle      float64
	tables    [len(hotFiles)]procfs.Table
	totals    map[string]float64
}

func (p *collector) addHot(o *Options) {
	p.hot = &hotList{p: p, now: time.Now, interval: 10}
	p.hotter = &collector{Catalog: procfs.NewCatalog("PROC", Domain, o), names: map[int32]instanceName{}, mine: map[int32]bool{}, open: p.open, threads: p.threads, serial: hotSerial, hot: p.hot}
	p.hotter.addAll()
	all := p.Tables["all"]
	hot := p.Fill("hot", "the predicate", func(t *procfs.Table) {
		p.hot.refresh(p.pids)
		r := t.Row(pcp.NullInst)
		for key, n := range p.hot.totals {
			t.Cell(r, []byte(key)).SetReal(n)
		}
		t.Cell(r, []byte("interval")).SetUint(p.hot.interval)
		t.Cell(r, []byte("changes")).SetUint(p.hot.changes)
		t.Cell(r, []byte("zero")).SetUint(0)
		config := ""
		if p.hot.predicate != nil {
			config = p.hot.predicate.text
		}
		t.Cell(r, []byte("config")).SetString(config)
	}, all)
	p.hotter.Tables["all"].Reading.Needs = append(p.hotter.Tables["all"].Reading.Needs, hot.Reading)
	p.hotter.Fill("predicate", "the predicate", func(t *procfs.Table) {
		for _, pid := range p.hotter.selected {
			r := t.Row(pid)
			for key, n := range p.hot.samples[pid].vars.numbers {
				t.Cell(r, []byte(key)).SetReal(n)
			}
		}
	}, p.hotter.Tables["selected"])
}

func (h *hotList) pids(all []int32) []int32 {
	list := all[:0]
	for pid, s := range h.samples {
		if s.hot {
			list = append(list, pid)
		}
	}
	return list
}

func (h *hotList) storeConfig(v *pcp.Values) error {
	p, err := parsePredicate(strings.TrimRight(string(v.Blobs[0]), "\x00"))
	if err != nil {
		return err
	}
	h.predicate, h.loaded, h.at = p, true, h.now()
	h.changes++
	h.forget()
	return nil
}

// forget empties the list of interesting processes until the next refresh.
func (h *hotList) forget() {
	for _, s := range h.samples {
		s.hot = false
	}
}

// load reads the predicate from its file. Without a file the predicate stays.
func (h *hotList) load() error {
	h.loaded = true
	text, err := h.p.Root.Read(hotConfig)
	if err != nil {
		return procfs.Missing(err)
	}
	p, err := parsePredicate(string(text))
	if err == nil {
		h.predicate = p
		h.changes++
	}
	return err
}

func (h *hotList) refresh(pids []int32) {
	if !h.loaded {
		_ = h.load() // a file that is wrong is like none
	}
	now := h.now()
	elapsed := now.Sub(h.at)
	if h.totals == nil {
		h.totals = map[string]float64{"cpuidle": 0, "cpuburn": 0, "transient": 0, "not_cpuburn": 0, "total": 0, "percent": 0}
	} else if elapsed < time.Duration(h.interval)*time.Second || h.interval == 0 {
		return
	}
	if h.predicate == nil {
		h.samples = nil
		return
	}
	old := h.samples
	h.samples = make(map[int32]*hotSample, len(pids))
	users := procfs.Users{Root: h.p.System}
	users.Load()
	sums := map[bool]float64{}
	for _, pid := range pids {
		s := h.sample(pid, &users)
		if s == nil {
			continue
		}
		s.rates(old[pid], elapsed.Seconds())
		s.hot = h.predicate.holds(&s.vars)
		sums[s.hot] += s.vars.numbers["cpuburn"]
		h.samples[pid] = s
	}
	h.total(sums[true], sums[false], elapsed.Seconds(), old != nil)
	h.at = now
}

func (h *hotList) total(burn, other, elapsed float64, known bool) {
	busy, idle := h.busy, h.idle
	h.busy, h.idle = h.processors()
	if !known || elapsed <= 0 {
		return
	}
	// The processors' time that no process accounts for was used by processes that came and went.
	transient := max(0, (h.busy-busy)/elapsed-burn-other)
	h.totals = map[string]float64{
		"cpuidle": (h.idle - idle) / elapsed, "cpuburn": burn, "transient": transient, "not_cpuburn": other, "total": transient + other, "percent": 0,
	}
	if all := transient + other + burn; all > 0 {
		h.totals["percent"] = 100 * (transient + other) / all
	}
}

// rates calculates the variables that are rates, 0 without an earlier sample.
func (s *hotSample) rates(old *hotSample, elapsed float64) {
	for _, key := range hotRates {
		if s.vars.numbers[key] = 0; old != nil && elapsed > 0 {
			s.vars.numbers[key] = max(0, s.used[key]-old.used[key]) / elapsed
		}
	}
}

// sample reads the resources that a process has used, nil if it is gone.
func (h *hotList) sample(pid int32, users *procfs.Users) *hotSample {
	hz, page := float64(h.p.Hertz), float64(h.p.PageSize)/1024
	units := map[string]float64{"cpuburn": 1 / hz, "iowait": 1 / hz, "virtualsize": 1.0 / 1024, "residentsize": page, "iodemand": 1.0 / 1024, "schedwait": 1e-9}
	s, fname := &hotSample{used: map[string]float64{}}, ""
	for i, f := range hotFiles {
		text, err := h.p.read(pid, f.file)
		if err != nil && i == 0 {
			return nil
		}
		t := &h.tables[i]
		if t.Slots == nil {
			*t = *procfs.NewTable(nil)
			t.Slot("2")
			for _, cell := range f.cells {
				t.Slot(cell.key)
			}
		}
		t.Reset()
		r := t.Row(pid)
		if f.parse(t, r, text); i == 0 {
			fname = string(t.Cell(r, []byte("2")).Text)
		}
		for _, cell := range f.cells {
			if c := t.Cell(r, []byte(cell.key)); c.Kind == procfs.Number {
				s.used[cell.name] += float64(c.Num) * cmp.Or(units[cell.name], 1)
			}
		}
	}
	s.vars.numbers = maps.Clone(s.used)
	s.vars.text = func(name string) string {
		switch name {
		case "fname":
			return fname
		case "psargs":
			return string(h.p.args(pid))
		}
		return users.Name(name == "gname", uint64(s.used[map[bool]string{true: "gid", false: "uid"}[name == "gname"]]))
	}
	return s
}

// processors returns the time that all processors have been busy and idle, in seconds.
func (h *hotList) processors() (busy, idle float64) {
	text, _ := h.p.Root.Read("proc/stat") // without the file the times are 0
	line, _ := procfs.Line(text)
	for i, word := range bytes.Fields(line) {
		v, _ := procfs.Uint(word)
		switch {
		case i == 0 || i > 8: // the name of the line, and times that are part of others
		case i == 4 || i == 5:
			idle += float64(v) / float64(h.p.Hertz)
		default:
			busy += float64(v) / float64(h.p.Hertz)
		}
	}
	return busy, idle
}
