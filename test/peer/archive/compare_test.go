package archive

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pmtools/test/peer/harness"
)

// A changeRow is what pmderive compare -o json writes about an instance.
type changeRow struct {
	Metric   string
	Instance *struct{ Name string }
	A, B     *struct{ Mean float64 }
	Ratio    float64
	twice    bool // there are several instances of this name
}

// changeLine is a line of pmdiff: two means, their ratio, the metric, the instance.
var changeLine = regexp.MustCompile(`^ *([\d.]+) +([\d.]+) +(\S+) +([a-z][\w.]*)(?: \["(.*)"\])?$`)

// comparedPairs are archives that have metrics in common.
var comparedPairs = [][2]string{
	{"diff1", "diff2"}, {"disk-a", "disk-b"}, {"arch_a", "arch_b"}, {"bozo-20170904-a", "bozo-20170904-b"}, {"20201109-a", "20201109-b"},
	{"20180127.08.40", "20180415.09.16"}, {"pcp-atop", "pcp-atop-boot"}, {"amdgpu-0", "amdgpu-1"},
}

// clocks are metrics that tell the time, which ours leaves out.
var clocks = []string{"kernel.all.idletime", "kernel.all.uptime"}

// TestCompare compares the means and the ratios of two archives with those of pmdiff.
func TestCompare(t *testing.T) {
	ours, _, root := harness.Setup(t)
	const inside = "/var/lib/pcp/testsuite/archives"
	dir, compared := filepath.Join(root, inside), 0
	for _, pair := range comparedPairs {
		their := exec.Command("chroot", root, "env", "PCP_DERIVED_CONFIG=", "pmdiff", "--skip-excluded", "--skip-missing", "-q", "1.01", "-p", "6",
			filepath.Join(inside, pair[0]), filepath.Join(inside, pair[1]))
		lines, err1 := their.Output()
		our, err2 := ours.Run(harness.Command{Args: []string{"pmderive", "compare", "--threshold", "0", "-o", "json", pair[0], pair[1]}, Dir: dir}, root)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		rows := changeRows(t, our.Stdout)
		for line := range bytes.Lines(lines) {
			m := changeLine.FindStringSubmatch(string(bytes.TrimRight(line, "\n")))
			if m == nil {
				continue // the head
			}
			row := rows[[2]string{m[4], m[5]}]
			if slices.Contains(clocks, m[4]) && row == nil {
				continue
			}
			if only := rows[[2]string{m[4], ""}]; row != nil && row.twice || row == nil && only != nil && only.twice {
				continue // of several; or in other units (C1)
			}
			if what := row.differs(m); what != "" {
				t.Errorf("%v: %s\nours   %+v\ntheirs %s", pair, what, row, line)
			}
			compared++
		}
	}
	if t.Logf("%d changes", compared); compared < 500 {
		t.Error("that is not what it was")
	}
}

// changeRows reads what pmderive wrote.
func changeRows(t *testing.T, out []byte) map[[2]string]*changeRow {
	rows := make(map[[2]string]*changeRow)
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Scan()
	for lines.Scan() {
		row := new(changeRow)
		if err := json.Unmarshal(lines.Bytes(), row); err != nil {
			t.Fatal(err)
		}
		key := [2]string{row.Metric, ""}
		if row.Instance != nil {
			key[1] = row.Instance.Name
		}
		row.twice = rows[key] != nil
		rows[key] = row
	}
	return rows
}

// differs returns in what a row differs from a line of pmdiff, "" if in nothing.
func (r *changeRow) differs(fields []string) string {
	if r == nil || r.A == nil || r.B == nil {
		return "ours has none"
	}
	same := func(ours float64, text string) bool {
		theirs, err := strconv.ParseFloat(text, 64)
		_, decimals, _ := strings.Cut(text, ".")
		return err != nil || math.Abs(ours-theirs) <= 1e-6*math.Abs(theirs)+0.51*math.Pow10(-len(decimals))
	}
	switch {
	case !same(r.A.Mean, fields[1]):
		return "mean of the first"
	case !same(r.B.Mean, fields[2]):
		return "mean of the second"
	case r.A.Mean > 0.01 && !same(r.Ratio, fields[3]): // that of rounded means; some have no number, such as >100
		return "ratio"
	}
	return ""
}
