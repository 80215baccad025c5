package eval_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"pmtools/derive/check"
	"pmtools/derive/eval"
	"pmtools/derive/syntax"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
	_ "pmtools/test/env"
)

// A world is the metrics of a test.
type world map[string]pcp.Desc

func (w world) Lookup(name string) (pcp.ID, bool, error) {
	if d, ok := w[name]; ok {
		return d.ID, false, nil
	}
	return pcp.NullID, false, pmerr.Name
}

func (w world) Describe(id pcp.ID) (pcp.Desc, error) {
	for _, d := range w {
		if d.ID == id {
			return d, nil
		}
	}
	return pcp.Desc{}, pmerr.PMID
}

// newWorld makes metrics of lines NAME TYPE INDOM SEM [UNITS].
func newWorld(lines string) world {
	w := world{}
	types := map[string]pcp.Type{
		"32": pcp.Int32, "U32": pcp.Uint32, "64": pcp.Int64, "U64": pcp.Uint64, "FLOAT": pcp.Float,
		"DOUBLE": pcp.Double, "STRING": pcp.String, "AGGREGATE": pcp.Aggregate,
	}
	sems := map[string]pcp.Sem{"counter": pcp.Counter, "instant": pcp.Instant, "discrete": pcp.Discrete}
	for line := range strings.Lines(lines) {
		f := strings.Fields(line)
		if len(f) < 4 {
			continue
		}
		d := pcp.Desc{ID: pcp.NewID(60, 0, uint32(len(w)+1)), Type: types[f[1]], InDom: pcp.NullInDom, Sem: sems[f[3]]}
		if f[2] != "-" {
			n, err := strconv.Atoi(f[2])
			if err != nil {
				panic(err)
			}
			d.InDom = pcp.NewInDom(60, uint32(n))
		}
		if len(f) > 4 {
			u, _, err := pcp.ParseUnits(f[4])
			if err != nil {
				panic(err)
			}
			d.Units = u
		}
		w[f[0]] = d
	}
	return w
}

// names is the instances: 1 "one", 2 "two blank", 3 "three", 4 "a]b", 5 "a/b", and above "iN word".
// Domains other than the first have an error.
type names struct {
	asked    int
	nameless bool // no instance has a name
}

func instName(inst int32) string {
	if inst >= 1 && inst <= 5 {
		return [...]string{"one", "two blank", "three", "a]b", "a/b"}[inst-1]
	}
	return fmt.Sprintf("i%d word", inst)
}

func (n *names) LookupInst(d pcp.InDom, name string) (int32, error) {
	n.asked++
	for i := range int32(20) {
		s := instName(i)
		if first, _, _ := strings.Cut(s, " "); s == name || first == name {
			return i, nil
		}
	}
	return 0, pmerr.Inst
}

func (n *names) InstName(d pcp.InDom, inst int32) (string, error) {
	n.asked++
	if n.nameless || inst == 77777 {
		return "", pmerr.Inst
	}
	return instName(inst), nil
}

func (n *names) Instances(d pcp.InDom) ([]pcp.Instance, error) {
	if d.Serial() > 9 {
		return nil, pmerr.InDomLog
	}
	var list []pcp.Instance
	for i := range int32(3) {
		list = append(list, pcp.Instance{ID: i + 1, Name: instName(i + 1)})
	}
	return list, nil
}

// column makes a column of text: "5", "1=10 2=20", "E(-12389)", or "none". A value "bad" does not
// fit its type.
func column(t testing.TB, d pcp.Desc, text string) *pcp.Values {
	t.Helper()
	v := &pcp.Values{ID: d.ID, Type: d.Type}
	if n, ok := strings.CutPrefix(text, "E("); ok {
		code, err := strconv.Atoi(strings.TrimSuffix(n, ")"))
		if err != nil {
			t.Fatal(err)
		}
		v.Err = pmerr.Code(code).Err()
		return v
	}
	for i, f := range strings.Fields(text) {
		if f == "none" {
			continue
		}
		inst := pcp.NullInst
		if k, rest, ok := strings.Cut(f, "="); ok {
			n, err := strconv.Atoi(k)
			if err != nil {
				t.Fatal(err)
			}
			inst, f = int32(n), rest
		}
		v.Insts = append(v.Insts, inst)
		if f == "bad" {
			v.Odd = make([]pcp.Odd, i+1)
			v.Odd[i].Bad = true
			f = "0"
		} else if v.Odd != nil {
			v.Odd = append(v.Odd, pcp.Odd{})
		}
		if d.Type.Arithmetic() {
			v.Words = append(v.Words, word(t, d.Type, f))
		} else {
			v.Blobs = append(v.Blobs, []byte(f))
		}
	}
	return v
}

// word parses a number of a type.
func word(t testing.TB, typ pcp.Type, s string) uint64 {
	t.Helper()
	switch typ {
	case pcp.Double, pcp.Float:
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		if typ == pcp.Float {
			return uint64(math.Float32bits(float32(f)))
		}
		return math.Float64bits(f)
	case pcp.Uint64:
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return uint64(n)
}

// text writes a column in the form that column reads.
func text(v *pcp.Values) string {
	if v.Err != nil {
		return fmt.Sprintf("E(%d)", pmerr.Of(v.Err))
	}
	if len(v.Insts) == 0 {
		return "none"
	}
	var b strings.Builder
	for i, inst := range v.Insts {
		if i > 0 {
			b.WriteByte(' ')
		}
		if inst != pcp.NullInst {
			fmt.Fprintf(&b, "%d=", inst)
		}
		fmt.Fprintf(&b, "%v", goValue(v, i))
	}
	return b.String()
}

// compile parses, checks and plans an expression.
func compile(t testing.TB, w world, expr string) (syntax.Expr, *check.Info, *eval.Plan) {
	t.Helper()
	e, err := check.Extended.Syntax().Parse(expr)
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	info, err := check.Check(e, w, nil)
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	return e, info, eval.New(e, info)
}

// inputs returns the columns of the operands for one sample of a test, "name: column; name:
// column".
func inputs(t testing.TB, w world, info *check.Info, sample string) []*pcp.Values {
	t.Helper()
	var cols []*pcp.Values
	for _, id := range info.Operands {
		v := &pcp.Values{ID: id}
		for part := range strings.SplitSeq(sample, ";") {
			name, col, _ := strings.Cut(part, ":")
			if d := w[strings.TrimSpace(name)]; d.ID == id {
				v = column(t, d, strings.TrimSpace(col))
			}
		}
		cols = append(cols, v)
	}
	return cols
}

// run evaluates an expression over samples one second apart, with both evaluators.
func run(t *testing.T, w world, expr string, samples ...string) []string {
	t.Helper()
	e, info, plan := compile(t, w, expr)
	state, second := plan.NewState(), newNaive(info)
	var got []string
	for i, s := range samples {
		in := &eval.Input{Time: pcp.Timestamp{Sec: int64(i)}, Columns: inputs(t, w, info, s), Instances: &names{}, Groups: grouper{version: i/3 + 1}}
		var dst pcp.Values
		state.Eval(in, &dst)
		if dst.Type != info.Root.Type {
			t.Errorf("%s: type %v, want %v", expr, dst.Type, info.Root.Type)
		}
		got = append(got, text(&dst))
		second.in = in
		if want := naiveText(second.eval(e)); got[i] != want {
			t.Errorf("%s: sample %d: %s, but naively %s", expr, i, got[i], want)
		}
	}
	return got
}

// naiveText writes what the naive evaluator found as text does.
func naiveText(c naiveColumn) string {
	if c.err != 0 {
		return fmt.Sprintf("E(%d)", int32(c.err))
	}
	if len(c.vals) == 0 {
		return "none"
	}
	var parts []string
	for _, v := range c.vals {
		s := fmt.Sprint(v.v)
		if v.inst != pcp.NullInst {
			s = fmt.Sprintf("%d=%s", v.inst, s)
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " ")
}

const oneWorld = `
	i32 32 - instant
	u32 U32 - instant
	i64 64 - instant
	u64 U64 - instant
	f FLOAT - instant
	d DOUBLE - instant
	s STRING - instant
	a AGGREGATE - instant
	i32s 32 1 instant
	j32s 32 1 instant
	u32s U32 1 instant
	ds DOUBLE 1 instant
	fs FLOAT 1 instant
	strs STRING 1 discrete
	b.c U32 - counter byte
	k.c U32 - counter Kbyte
	b U32 - instant byte
	k U32 - instant Kbyte
	kx DOUBLE 1 instant Kbyte
	sec U32 - instant sec
	ms.c U64 - counter millisec
	min.c 64 - counter min
	u64c U64 - counter
	i64c 64 - counter
	i32c 32 - counter
	fc FLOAT - counter
	dc DOUBLE 1 counter
	agg AGGREGATE - instant`

// TestStaticAggregate covers values of a type that readers of archives do not know: only their
// bytes exist.
func TestStaticAggregate(t *testing.T) {
	w := world{"as": {ID: pcp.NewID(60, 0, 1), Type: pcp.AggregateStatic, InDom: pcp.NewInDom(60, 1), Sem: pcp.Discrete}}
	in := &eval.Input{Instances: &names{}, Columns: []*pcp.Values{{
		Type: pcp.AggregateStatic, Insts: []int32{2, 1, 3}, Blobs: make([][]byte, 3),
		Odd: []pcp.Odd{{Bad: true, Type: 8, Blob: []byte("xy")}, {Bad: true, InSitu: true}, {Bad: true, Type: 8}},
	}}}
	for expr, want := range map[string]string{"as": "2=xy 3=", "scalar(as)": "xy", "matchinst(/e/, as)": "3=", "count(as)": "2"} {
		_, _, plan := compile(t, w, expr)
		var dst pcp.Values
		plan.NewState().Eval(in, &dst)
		if got := text(&dst); got != want {
			t.Errorf("%s is %s, want %s", expr, got, want)
		}
	}
}

// TestValues covers single samples: one value each unless the row says otherwise.
func TestValues(t *testing.T) {
	const in = "i32: -7; u32: 4000000000; i64: -5000000000; u64: 18446744073709551615; f: 0.1; d: 2.5; s: text; a: xy; agg: zz; " +
		"i32s: 1=-1 2=2 3=3; j32s: 3=30 1=10 7=70; u32s: 1=1 2=2 3=3; ds: 1=0.5 2=1.5; fs: 9=1; strs: 1=x 2=y; " +
		"b.c: 2048; k.c: 3; b: 1535; k: 2; kx: 1=1 2=2; sec: 90; ms.c: 5; min.c: 1; u64c: 7"
	tests := []struct{ name, expr, want string }{
		// derived.md D12, constants.
		{"precedence", "1 + 2 * 3", "7"},
		{"wrap", "1-2", "4294967295"},
		{"zero by zero", "0/0", "0"},
		{"by zero", "7/0", "+Inf"},
		{"negative by zero", "-7/0", "-Inf"},
		{"minus", "-1", "-1"},
		{"minus of unsigned", "-4294967295", "1"},
		{"overflow", "4294967295+1", "0"},
		{"double", "3-5.0", "-2"},
		{"dot", ".", "0"},
		{"chain", "1 < 2 < 3", "1"},
		{"chain down", "3 > 2 > 1", "0"},
		{"and", "2 && 3", "1"},
		{"and false", "2 && 0", "0"},
		{"or", "0 || 3", "1"},
		{"or false", "0 || 0.0", "0"},
		{"not", "!5", "0"},
		{"not not", "!!5", "1"},
		{"equal", "1 == 1.0", "1"},
		{"not equal", "1 != 1.0", "0"},
		{"negative constant", "mkconst(4294967295,type=32)", "-1"},
		{"last type", "mkconst(5,type=32,type=64)", "5"},
		{"unsigned comparison", "mkconst(4294967295,type=32) < 1", "0"},
		{"signed comparison", "mkconst(4294967295,type=32) < mkconst(1,type=64)", "1"},
		{"static novalue", "1?novalue():2", "none"},
		{"static number", "0?novalue():2", "2"},
		{"unequal scales", "mkconst(1,units=Kbyte)+mkconst(1,units=byte)", "1.0009765625"},
		{"rescale up", `rescale(mkconst(1,units=hour),"sec")`, "3600"},
		{"rescale float", `rescale(mkconst(1536.0,type=float,units=byte),"Kbyte")`, "1.5"},
		{"rescale count", `rescale(1,"count")`, "1"},
		// Types.
		{"32 and U32", "i32 + u32", "3999999993"},
		{"32 and U32 compared", "i32 > u32", "1"},
		{"32 and 64", "i32 + i64", "-5000000007"},
		{"32 and U64", "i32 - u64", "18446744073709551610"},
		{"32 and U64 compared", "i32 >= u64", "0"},
		{"U32 and 64", "u32 * i64", "-1553255926290448384"},
		{"64 and U64", "i64 + u64", "18446744068709551615"},
		{"32 and float", "i32 * f", "-0.7"},
		{"U64 and float", "u64 + f", "1.8446744e+19"},
		{"64 and float compared", "i64 < f", "1"},
		{"32 and double", "i32 * d", "-17.5"},
		{"float and double", "f + d", "2.600000001490116"},
		{"U64 and double", "u64 - d", "1.8446744073709552e+19"},
		{"float divided", "f / 2", "0.05000000074505806"},
		{"int divided", "i32 / 2", "-3.5"},
		{"relations", "(d <= 2.5) + (d >= 2.5) + (d == 2.5) + (d != 2.5) + (d < 2.5) + (d > 2.5)", "3"},
		{"float relations", "(f <= 0.1) + (f >= f) + (f == f)*10", "11"},
		{"not float", "!f", "0"},
		{"minus 64", "-i64", "5000000000"},
		{"minus U64", "-u64", "1"},
		{"minus float", "-f", "-0.1"},
		{"minus double", "-d", "-2.5"},
		{"and float", "f && d", "1"},
		{"or mixed", "i32 - i32 || u64", "1"},
		// Instances.
		{"join in order of the left", "i32s + j32s", "1=9 3=33"},
		{"join the other way", "j32s - i32s", "3=27 1=11"},
		{"none in common", "fs + i32s", "none"},
		{"same instances", "i32s * u32s", "1=4294967295 2=4 3=9"},
		{"singular right", "i32s + i32", "1=-8 2=-5 3=-4"},
		{"singular left", "u32 - u32s", "1=3999999999 2=3999999998 3=3999999997"},
		{"different selections", "i32s[one] + i32s[three]", "none"},
		{"scalars of selections", "scalar(i32s[one]) + scalar(i32s[three])", "2"},
		{"selection by first word", "i32s[two]", "2=2"},
		{"selection by name", "i32s[two blank]", "2=2"},
		{"selection of nothing", "i32s[nosuch]", "none"},
		{"selection of singular", "i32[one]", "none"},
		{"match", "matchinst(/^t/, i32s)", "2=2 3=3"},
		{"no match", "matchinst(!/^t/, i32s)", "1=-1"},
		{"match first word only", "matchinst(/blank/, i32s)", "none"},
		{"match singular", "matchinst(/./, i32)", "none"},
		{"match strings", "matchinst(/one/, strs)", "1=x"},
		{"constant of a domain", "mkconst(5,indom=60.1)", "1=5 2=5 3=5"},
		{"constant of no domain", "mkconst(5,indom=60.10)", "E(-12379)"},
		{"constant string", "mkconst(4, meta=s)", ""},
		{"constant strings", "mkconst(4.5, meta=strs)", "1= 2= 3="},
		{"one of constant strings", "scalar(matchinst(/three/, mkconst(4, meta=strs)))", ""},
		{"constant string chosen", "i32 ? mkconst(4, meta=s, semantics=instant) : s", ""},
		{"constant aggregate", "mkconst(4, meta=a)", "none"},
		// Functions.
		{"avg", "avg(i32s)", "1.3333334"},
		{"avg double", "avg(ds)", "1"},
		{"sum", "sum(i32s)", "4"},
		{"sum double", "sum(ds)", "2"},
		{"sum float", "sum(fs)", "1"},
		{"min", "min(i32s)", "-1"},
		{"max", "max(i32s)", "3"},
		{"min unsigned", "min(u32s)", "1"},
		{"max double", "max(ds)", "1.5"},
		{"min float", "min(fs)", "1"},
		{"count", "count(j32s)", "3"},
		{"count strings", "count(strs)", "2"},
		{"scalar string", "scalar(strs)", "x"},
		{"instant string", "instant(strs)", "1=x 2=y"},
		{"scalar order", "scalar(j32s)", "30"},
		{"rescale rounds", `rescale(b, "Kbyte")`, "1"},
		{"rescale instances", `rescale(kx, "byte")`, "1=1024 2=2048"},
		{"defined", "defined(b) + defined(nosuch)", "1"},
		// Scales.
		{"counters of two scales", "b.c + k.c", "5"},
		{"product of two scales", "k * b", "2.998046875"},
		{"quotient of two scales", "k / b", "1.3342019543973942"},
		{"instances of two scales", "kx + b", "1=2.4990234375 2=3.4990234375"},
		{"no scales in relations", "b.c > k.c", "1"},
		// Choices.
		{"singular string", "i32 ? s : s", "text"},
		{"aggregate", "i32 ? a : agg", "E(-12397)"},
		{"static aggregate", "1 ? a : agg", "E(-12397)"},
		{"static string", "0 ? a : s", "text"},
		{"static guard without values", "1 || delta(i32) ? 3 : 4", "none"},
		{"static guard with values", "0 && i32 ? 3 : 4", "4"},
		{"static guard with an error", "!mkconst(0,indom=60.10) ? i32s : 4", "E(-12379)"},
		{"static guard of unknown metrics", "defined(nosuch) && nosuch > 1 ? 3 : 4", "4"},
		{"static guard that hides an error", "defined(b) && 1 ? mkconst(5,indom=60.10) : i32s", "E(-12379)"},
		{"static guard before the arm", "1 || delta(i32) ? mkconst(5,indom=60.10) : i32s", "E(-12379)"},
		{"string by instance", "u32s > 1 ? strs : novalue()", "2=y"},
		{"spread over the other arm", "i32 ? mkconst(7,type=32,semantics=instant) : i32s", "1=7 2=7 3=7"},
		{"spread over the first arm", "i32-i32 ? i32s : mkconst(7,type=32,semantics=instant)", "1=7 2=7 3=7"},
		{"novalue", "i32 ? novalue() : i32s", "none"},
		{"novalue beside an aggregate", "i32 ? novalue() : a", "none"},
		{"aggregate beside novalue", "i32-i32 ? novalue() : a", "E(-12397)"},
		{"not novalue", "i32-i32 ? novalue() : i32s", "1=-1 2=2 3=3"},
		{"unused arm without values", "i32 ? i32s : matchinst(/x/, i32s)", "none"},
		{"condition lacks instances", "j32s > 20 ? i32s : i32s", "1=-1 3=3"},
		{"arms of different instances", "j32s > 20 ? i32s : j32s", "1=10 3=3"},
		{"one arm singular", "u32s > 1 ? i32s : mkconst(0,type=32,semantics=instant)", "1=0 2=2 3=3"},
		{"other arm singular", "u32s > 1 ? mkconst(0,type=32,semantics=instant) : i32s", "1=-1 2=0 3=0"},
	}
	w := newWorld(oneWorld)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := run(t, w, tt.expr, in)[0]; got != tt.want {
				t.Errorf("%s is %s, want %s", tt.expr, got, tt.want)
			}
		})
	}
}
