package test

import (
	"fmt"

	"pmtools/lib/pcp"
	"pmtools/lib/pmcd/pmcdtest"
)

// odd are names that a daemon may have, as parts of the names of metrics. A shell that evaluates one
// makes a file.
var odd = []string{
	"$(touch made)", "`touch made`", "x;touch made;", "x|touch made", "x&touch made&", "x>made", "x<made", "(touch made)", "$'\\x24'",
	`"; touch made; "`, "'; touch made; '", `'"'"'`, `x\`, `\x`, `x\y`, "two words", "  x", "*", "m?de", "[a-z]*", "{a,b}", "!!", "!t", "x!y", "$HOME", "${HOME}", "~", "#x", "=ls", "^x^y",
	"%s", "a:b", "a=b", "a@b", "é", "x--y", "$", "~root", "(e:touch made:)",
}

// unfit are names that no shell shows as they are, which none may propose.
var unfit = []string{"x\ny", "x\ttouch made", "x\x1b[31my", "x\u0085y", "x\u202ey", "x\x16\x03y", "x\r"}

// world has, for each odd name, a pair of metrics and one alone; and those that are unfit.
func world() *pmcdtest.World {
	w := new(pmcdtest.World)
	add := func(format string, args ...any) {
		id := pcp.NewID(29, 0, uint32(len(w.Metrics)))
		w.Metrics = append(w.Metrics, pmcdtest.Metric{Name: fmt.Sprintf(format, args...), Desc: pcp.Desc{ID: id, Type: pcp.Int32, InDom: pcp.NullInDom, Sem: pcp.Instant},
			Values: pcp.Values{Insts: []int32{pcp.NullInst}, Words: []uint64{1}}})
	}
	for i, name := range odd {
		add("pair%d.%s1", i, name)
		add("pair%d.%s2", i, name)
		add("alone%d.%s", i, name)
	}
	for i, name := range unfit {
		add("unfit%d.%s1", i, name)
		add("unfit%d.%s2", i, name)
	}
	add("-rf")
	return w
}
