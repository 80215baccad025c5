package mutate

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"pmtools/derive/derivetest"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
)

// tries is how many files of cases are made up for the mutants of a definition.
const tries = 120

// A search makes up files of cases for a definition until each mutant is killed by one.
type search struct {
	*work
	bench   *derivetest.Bench
	metrics []derivetest.Metric
	rng     *rand.Rand
	numbers []string        // that are in the definition, and those next to them
	past    bool            // values depend on those of the sample before
	windows []time.Duration // that functions look back
}

// run returns the mutants that no case was found for.
func (s *search) run(ctx context.Context, left []*Mutant) ([]*Mutant, error) {
	if s.metrics = s.bench.Metrics(s.def.Name()); len(s.metrics) == 0 {
		return left, nil
	}
	h := fnv.New64a()
	h.Write([]byte(s.def.Name()))
	s.rng = rand.New(rand.NewPCG(h.Sum64(), 0))
	s.past = s.bench.Past(s.def.Name())
	s.look(s.def.Expr())
	for n := 0; n < tries && len(left) > 0; n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var err error
		if left, err = s.attempt(ctx, n, left); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// look notes what values a definition cares about.
func (s *search) look(x syntax.Expr) {
	for n := range syntax.Preorder(x) {
		switch n := n.(type) {
		case *syntax.IntLit:
			s.numbers = append(s.numbers, n.Text, strconv.FormatUint(uint64(n.Value)+1, 10))
			if n.Value > 0 {
				s.numbers = append(s.numbers, strconv.FormatUint(uint64(n.Value)-1, 10))
			}
		case *syntax.FloatLit:
			s.numbers = append(s.numbers, n.Text, strconv.FormatFloat(n.Value+1, 'f', -1, 64))
		case *syntax.CallExpr:
			if n.Over != nil {
				s.windows = append(s.windows, time.Duration(n.Over.Nanoseconds))
			}
		}
	}
}

// attempt makes up a file of cases and tries the mutants with it. It returns those that it does not kill.
func (s *search) attempt(ctx context.Context, n int, left []*Mutant) ([]*Mutant, error) {
	text := s.world(n)
	world, err := s.bench.With(ctx, []byte(text))
	if err != nil {
		return left, nil // values that a type does not have
	}
	recorded, err := world.Record(ctx, s.def.Name())
	if err != nil {
		return nil, err
	}
	text = strings.Replace(string(recorded), "  recorded\n", "", 1)
	if strings.Contains(text, "\n    error ") {
		return left, nil
	}
	if world, err = s.bench.With(ctx, []byte(text)); err != nil {
		return nil, err
	}
	var others, killed []*Mutant
	for _, m := range left {
		v, err := world.Try(ctx, m.program)
		if err != nil {
			return nil, err
		}
		if v == derivetest.Failed {
			killed = append(killed, m)
		} else {
			others = append(others, m)
		}
	}
	if len(killed) == 0 {
		return left, nil
	}
	real, err := s.bench.Confirmed(ctx, []byte(text)) // on an archive, as for a run
	if err != nil || real == nil {
		return left, err
	}
	for _, m := range killed {
		v, err := real.Try(ctx, m.program)
		if err != nil {
			return nil, err
		}
		if v != derivetest.Failed {
			others = append(others, m)
			continue
		}
		m.Status, m.Case = Survived, len(s.cases)+1
	}
	kills := len(left) - len(others)
	if kills > 0 {
		s.cases = append(s.cases, Case{s.def.Name(), text, kills})
	}
	return others, nil
}

// world returns a file of cases with random values that expects nothing. Later ones are larger.
func (s *search) world(n int) string {
	samples := 1 + n/30
	if s.past {
		samples++
	}
	var b strings.Builder
	if len(s.windows) > 0 {
		samples += 5
	}
	b.WriteString(s.head(n))
	instances := make(map[pcp.InDom][]string)
	for i := range s.metrics {
		m := &s.metrics[i]
		fmt.Fprintf(&b, "metric %s %s\n", m.Name, m.Declaration)
		if m.Desc.InDom == pcp.NullInDom {
			b.WriteString("  value  " + s.row(m, samples, n) + "\n")
			continue
		}
		if instances[m.Desc.InDom] == nil {
			instances[m.Desc.InDom] = s.instances(m, n)
		}
		for _, inst := range instances[m.Desc.InDom] {
			b.WriteString("  " + inst + "  " + s.row(m, samples, n) + "\n")
		}
	}
	fmt.Fprintf(&b, "case %s\n  eval %s\n", s.def.Name(), s.def.Name())
	return b.String()
}

// head returns the first lines of a file of cases. Functions over time have a step by which five samples reach further back than a
// window of twice the length.
func (s *search) head(n int) string {
	head := s.bench.Head()
	if len(s.windows) == 0 {
		return head
	}
	before, after, ok := strings.Cut(head, "\nstep ")
	if ok {
		_, after, _ = strings.Cut(after, "\n")
	}
	step := s.windows[n%len(s.windows)] / time.Duration(2+n%3)
	step = max(step, time.Millisecond).Round(time.Millisecond)
	return strings.TrimSuffix(before, "\n") + "\nstep " + strconv.FormatFloat(step.Seconds(), 'f', -1, 64) + "s\n" + after
}

// instances returns some instances of a metric, which are then those of its domain.
func (s *search) instances(m *derivetest.Metric, n int) []string {
	list := slices.Clone(m.Instances)
	s.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	for i := 1; len(list) < 2; i++ {
		list = append(list, fmt.Sprintf("instance%d", i))
	}
	list = list[:min(len(list), 1+n/20)]
	slices.Sort(list)
	return list
}

// row returns the values of an instance. The first attempts have all values; counters grow, later they may stand still and be reset.
func (s *search) row(m *derivetest.Metric, samples, n int) string {
	var words []string
	if m.Desc.Sem == pcp.Counter && m.Desc.Type.Arithmetic() && s.past {
		at := 10 * s.rng.IntN(10)
		for range samples {
			words = append(words, strconv.Itoa(at))
			switch step := s.rng.IntN(8); {
			case step < 2:
			case step == 2 && n > 40:
				at /= 2
			case n > 60:
				at += s.rng.IntN(1000 * n)
			default:
				at += 10 * (1 + s.rng.IntN(20)) // a rate without a fraction, with the usual step
			}
		}
	} else {
		for range samples {
			words = append(words, s.value(m, n))
		}
	}
	for i := range words {
		if n > 30 && s.rng.IntN(12) == 0 {
			words[i] = "_"
		}
	}
	return strings.Join(words, " ")
}

func (s *search) value(m *derivetest.Metric, n int) string {
	if m.Desc.Type == pcp.String {
		return pick(s.rng, append([]string{`"a"`, `"b"`}, m.Values...))
	}
	switch s.rng.IntN(5) {
	case 0:
		if len(s.numbers) > 0 {
			return pick(s.rng, s.numbers)
		}
	case 1:
		if len(m.Values) > 0 {
			return pick(s.rng, m.Values)
		}
	case 2:
		return strconv.Itoa(s.rng.IntN(4))
	}
	value := strconv.Itoa(1 + s.rng.IntN(20+n*n))
	switch m.Desc.Type {
	case pcp.Float, pcp.Double:
		value += pick(s.rng, []string{"", ".5", ".25"})
		fallthrough
	case pcp.Int32, pcp.Int64:
		if n > 20 && s.rng.IntN(6) == 0 {
			value = "-" + value
		}
	}
	return value
}

func pick(rng *rand.Rand, list []string) string { return list[rng.IntN(len(list))] }
