package diagnose

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
)

// The habits of PromQL.

// durationForm matches durations, such as 5m, 1h30m and 5m:1m.
var durationForm = form{pattern: `^\s*(?:[0-9]+(?:ms|s|sec|m|min|h|d|w|y))+(?::(?:[0-9]+(?:ms|s|m|h|d|w|y))*)?\s*$`}

// intervalNote tells where the time between samples is said.
func intervalNote(d string) string {
	d, _, _ = strings.Cut(strings.TrimSpace(d), ":")
	return fmt.Sprintf("the time between samples is an option, not part of an expression: eval -t %s, at the prompt :watch %s EXPR, in an archive :step %s", d, d, d)
}

// period advises about a range of time in brackets: x[5m].
func (p *phrase) period(i int) *advice {
	w := p.at(i)
	name := strings.Trim(w.text, "[]")
	if !strings.HasPrefix(w.text, "[") || !durationForm.compiled().MatchString(name) {
		return nil
	}
	return &advice{
		msg: w.text + " is a range of time, which expressions do not have", pos: w.start, start: w.start, end: w.end,
		notes: []string{"rate() and delta() compare a sample with the one before", intervalNote(name)}, rewrites: []string{""},
	}
}

// instance advises about an instance in quotes, and after a function.
func (p *phrase) instance(i int) *advice {
	w := p.at(i)
	if !strings.HasPrefix(w.text, "[") {
		return nil
	}
	a := instanceAdvice(p.text, p.before(i+1), p)
	if a != nil {
		return a
	}
	begin := p.before(i)
	if begin < 0 || i == 0 || p.at(i-1).text != ")" || p.at(begin).text == "(" {
		return nil
	}
	from := p.at(begin).start
	return &advice{
		msg: "an instance stands after a metric or a parenthesis, not after a function", pos: w.start, start: from, end: w.end,
		rewrites: []string{"(" + p.text[from:w.start] + ")" + w.text},
	}
}

// instanceAdvice advises about an instance in quotes, which ends the operand that begins with a word.
func instanceAdvice(text string, begin int, p *phrase) *advice {
	if begin < 0 {
		return nil
	}
	end := p.after(begin)
	if end <= begin {
		return nil
	}
	w := p.at(end - 1)
	name := strings.TrimSpace(strings.Trim(w.text, "[]"))
	if !strings.HasPrefix(w.text, "[") || len(name) < 2 || name[0] != name[len(name)-1] || !strings.Contains(`"'`, name[:1]) {
		return nil
	}
	return selectInstance(text, p.at(begin).start, w, name)
}

// selectInstance advises how an instance is selected whose name is in quotes or is a pattern.
func selectInstance(text string, from int, w word, name string) *advice {
	bare := strings.Trim(name, `"'`)
	a := &advice{pos: w.start + 1, start: w.start, end: w.end}
	if !strings.ContainsAny(bare, "*?") {
		a.msg, a.rewrites = "the name of an instance has no quotes", []string{"[" + bare + "]"}
		return a
	}
	a.msg, a.start = "["+name+"] names one instance, and matchinst() selects those that match a pattern", from
	a.rewrites = []string{matchInst("", globPattern(bare), text[from:w.start])}
	return a
}

// globPattern returns the regular expression of a pattern of the shell.
func globPattern(glob string) string {
	var b strings.Builder
	b.WriteByte('^')
	for _, c := range glob {
		switch {
		case c == '*':
			b.WriteString(".*")
		case c == '?':
			b.WriteByte('.')
		case strings.ContainsRune(`.+()|^$[]{}\`, c):
			b.WriteString(exactly(c))
		default:
			b.WriteRune(c)
		}
	}
	return loose(b.String() + "$")
}

// loose returns an anchored regular expression without what matches anything at its ends.
func loose(pattern string) string {
	pattern = strings.TrimPrefix(strings.TrimSuffix(pattern, ".*$"), "^.*")
	if pattern == "^" {
		return ""
	}
	return pattern
}

// exactly returns the regular expression of a character that means something in one. A backslash would
// lose a level in each file that the expression is put into.
func exactly(c rune) string {
	if strings.ContainsRune(`^[]\`, c) {
		return `\\` + string(c)
	}
	return "[" + string(c) + "]"
}

// matchInst returns a call of matchinst. An empty pattern matches all names.
func matchInst(not, pattern, operand string) string {
	if pattern == "" && not == "" {
		return operand
	}
	return fmt.Sprintf("matchinst(%s/%s/, %s)", not, strings.ReplaceAll(pattern, "/", `\/`), operand)
}

// Instance describes an instance that an expression selects, but a source does not have, if it is written
// as in other languages: in quotes, as a pattern, or as a range of time. It returns nil for others.
func Instance(text string, x *syntax.InstExpr) *Problem {
	start, _ := x.X.Span()
	w := word{text[x.Lbrack : x.Rbrack+1], int(x.Lbrack), int(x.Rbrack) + 1}
	name := strings.TrimSpace(strings.Trim(w.text, "[]"))
	var a *advice
	switch {
	case durationForm.compiled().MatchString(name):
		a = (&phrase{text: text, words: []word{w}}).period(0)
	case strings.ContainsAny(name, `*?"'`):
		a = selectInstance(text, int(start), w, name)
	default:
		return nil
	}
	p := &Problem{Src: text}
	if !parses(check.PCP, text) { // it has been parsed
		p.lang = check.Extended
	}
	p.advised(text, a)
	return p
}

// labelForm matches one matcher of labels.
var labelForm = form{pattern: `^\s*([A-Za-z_]\w*)\s*(=~|!~|!=|=)\s*(?:"([^"]*)"|'([^']*)')\s*$`}

// hostLabels are labels that tell a host, not an instance.
var hostLabels = []string{"instance", "job", "host", "hostname", "node", "nodename", "machineid", "domainname", "cluster", "agent"}

// labels advises about matchers of labels in braces.
func (p *phrase) labels(i int) *advice {
	w := p.at(i)
	if !strings.HasPrefix(w.text, "{") {
		return nil
	}
	a := &advice{msg: "labels select nothing in this language: matchinst() selects instances by their names", pos: w.start, start: w.start, end: w.end}
	inside := strings.TrimSpace(strings.Trim(w.text, "{}"))
	if inside == "" {
		a.rewrites = []string{""}
		return a
	}
	m := labelForm.compiled().FindStringSubmatch(inside)
	begin := p.before(i)
	switch {
	case m == nil || begin < 0:
		a.notes = []string{"x[NAME] is one instance, matchinst(/PATTERN/, x) are those whose names match"}
		return a
	case slices.Contains(hostLabels, m[1]):
		a.msg = "a host is not part of an expression: -h HOST or -a ARCHIVE chooses it"
		a.notes = []string{"several -h evaluate an expression on several hosts, and --across sum combines their values"}
		return a
	}
	operand, value := p.text[p.at(begin).start:w.start], m[3]+m[4]
	a.start = p.at(begin).start
	not := ""
	if m[2][0] == '!' {
		not = "!"
	}
	switch {
	case m[2] == "=":
		a.rewrites = []string{operand + "[" + value + "]"}
	case m[2] == "!=":
		a.rewrites = []string{matchInst(not, globPattern(value), operand)}
	default: // PromQL's patterns match whole names
		pattern := "^(" + value + ")$"
		if !strings.Contains(value, "|") {
			pattern = loose("^" + value + "$")
		}
		a.rewrites = []string{matchInst(not, strings.ReplaceAll(pattern, `\`, `\\`), operand)}
	}
	return a
}

// condition advises about a condition that must hold for some time: x > 5 for 1m.
func (p *phrase) condition(i int) *advice {
	if !p.is(i, "for") || i == 0 || !number(p.at(i+1).text) {
		return nil
	}
	before, duration := strings.TrimSpace(p.text[:p.at(i).start]), strings.TrimSpace(p.text[p.at(i+1).start:])
	return &advice{
		msg: "an expression tells about one sample, and not for how long that holds", pos: p.at(i).start, start: p.at(i).start, end: len(p.text), rewrites: []string{""},
		notes: []string{
			fmt.Sprintf("eval -s 2 -t %s --where '%s' --fail-empty ends with status 3 if the condition holds in none of the samples", strings.ReplaceAll(duration, " ", ""), before),
			"pmie(1) runs rules that hold for some time",
		},
	}
}

// lookBack advises about values of an earlier time: x offset 5m.
func (p *phrase) lookBack(i int) *advice {
	if !p.is(i, "offset") || i == 0 || p.before(i) < 0 && !p.suffix(i-1) {
		return nil
	}
	if p.lang == check.Extended {
		return &advice{msg: "values of an earlier time are those of shift()", pos: p.at(i).start, notes: []string{"shift(x, 1hour) is the value an hour before"}}
	}
	return &advice{
		msg: "an expression is about the present sample: earlier ones are in an archive", pos: p.at(i).start,
		notes: []string{"eval -a ARCHIVE -O '@14:30' EXPR evaluates at a time, at the prompt :time @14:30 goes there", "delta(x) is the difference from the sample before"},
	}
}

// field advises about fields of awk.
func (p *phrase) field(i int) *advice {
	if p.at(i).text != "$" {
		return nil
	}
	return &advice{msg: "operands are metrics with names, not fields or variables", pos: p.at(i).start, notes: []string{":metrics lists the names at the prompt, pminfo in a shell"}}
}

// A foreign is a function of other languages.
type foreign struct {
	names    []string
	msg      string // what there is instead; %s is the name
	notes    []string
	rewrites []string // with $1 and $2 for the arguments
}

// foreigns are functions that people look for.
var foreigns = []foreign{
	{names: []string{"abs", "fabs"}, msg: "there is no function %s; a choice does the same", rewrites: []string{"$1 < 0 ? -$1 : $1", "$1 < 0 ? -$1 * 1.0 : -(-$1 * 1.0)"}},
	{names: []string{"topk"}, msg: "there is no function %s: the largest values are a matter of output", notes: []string{":top $1 $2 shows them at the prompt, eval --top $1 '$2' in a shell"}},
	{names: []string{"bottomk"}, msg: "there is no function %s: the order of values is a matter of output", notes: []string{"eval --sort value '$2' shows the smallest last; at the prompt :set sort value"}},
	{names: []string{"p50", "p75", "p90", "p95", "p99", "median"}, msg: "there is no function %s: quantiles are over an archive", notes: []string{"pmderive -a ARCHIVE summarize '$1' shows p50, p95 and p99 over time"}},
	{names: []string{"quantile", "histogram_quantile", "quantile_over_time", "percentile_cont", "approx_quantile"}, msg: "there is no function %s: quantiles are over an archive", notes: []string{"pmderive -a ARCHIVE summarize '$2' shows p50, p95 and p99 over time"}},
	{names: []string{"percentile"}, msg: "there is no function %s: quantiles are over an archive", notes: []string{"pmderive -a ARCHIVE summarize '$1' shows p50, p95 and p99 over time"}},
	{names: []string{"avg_over_time", "min_over_time", "max_over_time", "sum_over_time", "count_over_time"}, msg: "there is no function %s: functions are over the instances of one sample", notes: []string{"pmderive -a ARCHIVE summarize '$1' shows minimum, maximum and mean over time"}},
	{names: []string{"stddev", "stdvar", "variance", "stdev"}, msg: "there is no function %s, and nothing with the same values", notes: []string{"eval -o csv or -o json gives the values to other programs"}},
	{names: []string{"mean", "average"}, msg: "the function is called avg, not %s", rewrites: []string{"avg($1)"}},
	{names: []string{"length", "len"}, msg: "the function is called count, not %s", rewrites: []string{"count($1)"}},
	{names: []string{"irate"}, msg: "there is no function %s: rate() is always from one sample to the next", rewrites: []string{"rate($1)"}},
	{names: []string{"deriv"}, msg: "there is no function %s: rate() is the change per second from one sample to the next, of any metric", rewrites: []string{"rate($1)"}},
	{names: []string{"increase", "idelta", "diff"}, msg: "there is no function %s: delta() is the change from one sample to the next", rewrites: []string{"delta($1)"}},
	{names: []string{"if", "iif", "ifelse"}, msg: "there is no function %s; a choice is COND ? A : B", rewrites: []string{"$1 ? $2 : $3"}},
	{names: []string{"greatest"}, msg: "there is no function %s; a choice does the same", rewrites: []string{"$1 > $2 ? $1 : $2"}},
	{names: []string{"least"}, msg: "there is no function %s; a choice does the same", rewrites: []string{"$1 < $2 ? $1 : $2"}},
	{names: []string{"absent"}, msg: "there is no function %s; defined() is 1 where the source has a metric", rewrites: []string{"!defined($1)"}},
	{names: []string{"pow", "power"}, msg: "there is no function %s, only multiplication", rewrites: []string{"$1 ^ $2"}},
	{names: []string{"round", "floor", "ceil", "int", "trunc"}, msg: "there is no function %s: the digits are a matter of output", notes: []string{"eval -f 2 '$1' shows two digits after the point; at the prompt :set precision 2"}},
	{names: []string{"sqrt", "ln", "log", "log2", "log10", "exp", "sin", "cos"}, msg: "there is no function %s: arithmetic is + - * /", notes: []string{"eval -o csv or -o json gives the values to other programs"}},
}

// extendedForeigns are functions that people look for in the extended language.
var extendedForeigns = []foreign{
	{names: []string{"topk"}, msg: "the function is called topn, not %s", rewrites: []string{"topn($1, $2)"}},
	{names: []string{"bottomk"}, msg: "the function is called bottomn, not %s", rewrites: []string{"bottomn($1, $2)"}},
	{names: []string{"avg_over_time"}, msg: "the function is called avg_over, not %s", rewrites: []string{"avg_over($1, $2)"}},
	{names: []string{"min_over_time"}, msg: "the function is called min_over, not %s", rewrites: []string{"min_over($1, $2)"}},
	{names: []string{"max_over_time"}, msg: "the function is called max_over, not %s", rewrites: []string{"max_over($1, $2)"}},
	{names: []string{"quantile_over_time"}, msg: "the function is called quantile_over, not %s", rewrites: []string{"quantile_over($1, $2, $3)"}},
	{names: []string{"sum_over_time", "count_over_time", "stddev_over_time", "last_over_time"}, msg: "there is no function %s", notes: []string{"over time there are avg_over, max_over, min_over, quantile_over, shift and smooth"}},
	{names: []string{"clamp_min"}, msg: "the function is called max, not %s", rewrites: []string{"max($1, $2)"}},
	{names: []string{"clamp_max"}, msg: "the function is called min, not %s", rewrites: []string{"min($1, $2)"}},
	{names: []string{"fabs"}, msg: "the function is called abs, not %s", rewrites: []string{"abs($1)"}},
	{names: []string{"p50", "percentile_50"}, msg: "the function is called median, not %s", rewrites: []string{"median($1)"}},
	{names: []string{"p90"}, msg: "the function is called quantile, not %s", rewrites: []string{"quantile(0.9, $1)"}},
	{names: []string{"p95"}, msg: "the function is called quantile, not %s", rewrites: []string{"quantile(0.95, $1)"}},
	{names: []string{"p99"}, msg: "the function is called quantile, not %s", rewrites: []string{"quantile(0.99, $1)"}},
	{names: []string{"mean", "average"}, msg: "the function is called avg, not %s", rewrites: []string{"avg($1)"}},
	{names: []string{"length", "len"}, msg: "the function is called count, not %s", rewrites: []string{"count($1)"}},
	{names: []string{"stdev", "stddev_pop"}, msg: "the function is called stddev, not %s", rewrites: []string{"stddev($1)"}},
	{names: []string{"stdvar", "variance", "var_pop"}, msg: "there is no function %s: it is the square of the standard deviation", rewrites: []string{"stddev($1) * stddev($1)"}},
	{names: []string{"log"}, msg: "the natural logarithm is called ln, not %s", rewrites: []string{"ln($1)"}},
	{names: []string{"log10"}, msg: "there is no function %s, only the natural logarithm", rewrites: []string{"ln($1) / 2.302585092994046"}},
	{names: []string{"log2"}, msg: "there is no function %s, only the natural logarithm", rewrites: []string{"ln($1) / 0.6931471805599453"}},
	{names: []string{"deriv"}, msg: "there is no function %s: rate() is the change per second from one sample to the next, of any metric", rewrites: []string{"rate($1)"}},
	{names: []string{"power"}, msg: "the function is called pow, not %s", rewrites: []string{"pow($1, $2)"}},
	{names: []string{"greatest"}, msg: "the function is called max, not %s", rewrites: []string{"max($1, $2)"}},
	{names: []string{"least"}, msg: "the function is called min, not %s", rewrites: []string{"min($1, $2)"}},
	{names: []string{"irate"}, msg: "there is no function %s: rate() is always from one sample to the next", rewrites: []string{"rate($1)"}},
	{names: []string{"increase", "idelta", "diff"}, msg: "there is no function %s: delta() is the change from one sample to the next", rewrites: []string{"delta($1)"}},
	{names: []string{"if", "iif", "ifelse"}, msg: "there is no function %s; a choice is COND ? A : B", rewrites: []string{"$1 ? $2 : $3"}},
	{names: []string{"absent"}, msg: "there is no function %s; defined() is 1 where the source has a metric", rewrites: []string{"!defined($1)"}},
}

// function advises about a call of a function of another language.
func (p *phrase) function(i int) *advice {
	if !p.named(i) || p.at(i+1).text != "(" || p.closing(i+1) < 0 {
		return nil
	}
	name := strings.ToLower(p.at(i).text)
	list := foreigns
	if p.lang == check.Extended {
		list = extendedForeigns
	}
	at := slices.IndexFunc(list, func(f foreign) bool { return slices.Contains(f.names, name) })
	if at < 0 {
		return nil
	}
	f, args, notes := &list[at], p.inside(i+1), []string(nil)
	for k, arg := range args {
		q := read(arg)
		d := q.period(len(q.words) - 1)
		switch {
		case d == nil || d.end != len(arg):
		case p.lang == check.Extended && strings.HasSuffix(name, "_over_time"):
			args[k] = arg[:d.start]
			args = append(args, strings.Trim(arg[d.start:], "[]"))
		default:
			args[k], notes = arg[:d.start], d.notes[1:]
		}
	}
	a := &advice{msg: fmt.Sprintf(f.msg, p.at(i).text), pos: p.at(i).start, start: p.at(i).start, end: p.at(p.closing(i + 1)).end}
	for _, n := range f.notes {
		if text, ok := fill(n, args, false); ok {
			a.notes = append(a.notes, text)
		}
	}
	a.notes = append(a.notes, notes...)
	for _, r := range f.rewrites {
		if text, ok := fill(r, args, true); ok {
			a.rewrites = append(a.rewrites, text)
		}
	}
	if len(a.rewrites) > 0 && (i > 0 && p.at(i-1).text != "(" || p.at(p.closing(i+1)+1).text != "" && p.at(p.closing(i+1)+1).text != ")") {
		for k, r := range a.rewrites {
			a.rewrites[k] = grouped(r)
		}
	}
	return a
}

// share advises about a quantile in percent: quantile(95, x).
func (p *phrase) share(i int) *advice {
	w := p.at(i + 2)
	percent, err := strconv.ParseFloat(w.text, 64)
	if p.lang != check.Extended || !p.is(i, "quantile", "quantile_over") || p.at(i+1).text != "(" || p.at(i+3).text != "," || err != nil || percent <= 1 || percent > 100 {
		return nil
	}
	return &advice{
		msg: "the first operand of " + p.at(i).text + "() must be a number from 0 to 1", pos: w.start, start: w.start, end: w.end,
		rewrites: []string{strconv.FormatFloat(percent/100, 'g', 15, 64)},
	}
}

// over advises about the time of a function over time in brackets: avg_over(x[5m]).
func (p *phrase) over(i int) *advice {
	open := i + 1
	w := p.at(p.closing(open) - 1)
	if p.lang != check.Extended || !p.is(i, "avg_over", "max_over", "min_over", "quantile_over") || p.at(open).text != "(" ||
		!strings.HasPrefix(w.text, "[") || !durationForm.compiled().MatchString(strings.Trim(w.text, "[]")) {
		return nil
	}
	return &advice{
		msg: "the time of " + p.at(i).text + "() stands after a comma", pos: w.start, start: w.start, end: w.end,
		rewrites: []string{", " + strings.Trim(w.text, "[]")},
	}
}

// fill puts arguments in the places of $1, $2 and $3, in parentheses where they stand beside operators.
// It reports whether there are as many as are wanted, in a rewrite exactly so many.
func fill(text string, args []string, rewrite bool) (string, bool) {
	for k := 3; k > 0; k-- {
		place := fmt.Sprintf("$%d", k)
		wanted := strings.Contains(text, place)
		if wanted && k > len(args) || rewrite && !wanted && k == len(args) {
			return "", false
		}
		if !wanted {
			continue
		}
		arg := args[k-1]
		if rewrite && !strings.Contains(text, "("+place+")") && !durationForm.compiled().MatchString(arg) {
			arg = grouped(arg)
		}
		text = strings.ReplaceAll(text, place, arg)
	}
	return text, true
}

// smallest advises about max(a, b) and min(a, b) of two operands.
func (p *phrase) smallest(i int) *advice {
	fun := p.at(i).text
	if p.lang == check.Extended || fun != syntax.MAX.Symbol() && fun != syntax.MIN.Symbol() || p.at(i+1).text != "(" || p.closing(i+1) < 0 {
		return nil
	}
	args := p.inside(i + 1)
	if len(args) != 2 {
		return nil
	}
	sign := map[string]string{"max": ">", "min": "<"}[fun]
	left, right := grouped(args[0]), grouped(args[1])
	text := fmt.Sprintf("%s %s %s ? %s : %s", left, sign, right, left, right)
	if i > 0 && p.at(i-1).text != "(" || p.at(p.closing(i+1)+1).text != "" && p.at(p.closing(i+1)+1).text != ")" {
		text = grouped(text)
	}
	return &advice{
		msg: fun + "() is over the instances of one metric; a choice compares two operands", pos: p.at(i).start,
		start: p.at(i).start, end: p.at(p.closing(i + 1)).end, rewrites: []string{text},
	}
}
