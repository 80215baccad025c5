package diagnose

// People who know PromQL, SQL or awk type expressions in those languages first. A habit is one such
// form, with advice on what to write instead. Habits are looked for only in texts that the parser
// refuses, so no expression is mistaken for one.
//
// The words of a form stand for themselves, in either case of their letters; of a list such as and,or
// for one of them. The first of these is $F below, the second $O. The others have patterns: see parts.
// An apostrophe before a word puts the caret there; else it is at $F.
//
// The texts of the advice use the names of what has been found. A text whose name is missing is left
// out, and a form whose message has such a name is none.
type habit struct {
	language string // only texts of it have the form; "" for both
	form     string
	msg      string
	notes    []string
	write    string // for the place of the form; "" if nothing in the language means the same, " " to leave the form out
}

// Patterns of texts.
const (
	aName      = `[A-Za-z_][\w.]*`
	aNumber    = `(?:[0-9]*\.?[0-9]+)`
	anArgument = `(?:[^(),]|\(BALANCED\))+`
	anOperand  = `(?:(?:` + aName + `)?\(BALANCED\)(?:\s*by\s*\([^()]*\))?|` + aName + `|` + aNumber + `)(?:\s*\[[^\]]*\]|\{[^{}]*\})*`
	aDuration  = `(?:[0-9]+(?:ms|sec|s|min|m|h|d|w|y))+`
)

// parts are the patterns of what stands in forms. BALANCED is any text in which parentheses are balanced.
var parts = [...]struct{ name, pattern string }{
	{"$X", `(?P<X>` + anOperand + `)`}, // a name, a number, a call or a parenthesis, with its brackets and braces
	{"$Y", `(?P<Y>` + anOperand + `)`},
	{"$Z", `(?P<Z>` + anOperand + `)`},
	{"$V", `(?P<V>(?:[-!]|not\s)*\s*` + anOperand + `)`}, // one with its sign; what is written stays in the expression as it is
	{"$U", `(?P<U>[-!]?` + anOperand + `(?:\s*[-+*/<>=!]+\s*` + anOperand + `)*)`},
	{"$A", `(?P<A>` + anArgument + `)`}, // an argument; a range of time at its end is $D
	{"$B", `(?P<B>` + anArgument + `)`},
	{"$C", `(?P<C>` + anArgument + `)`},
	{"$E", `(?P<E>` + anArgument + `)`}, // an expression of several words
	{"$L", `(?P<L>BALANCED)`},
	{"$K", `(?P<K>BALANCED)`},
	{"$R", `(?P<R>.*)$`},
	{"$P", `^(?P<P>.*\S)`},
	{"$N", `(?P<N>` + aNumber + `)`},
	{"$W", `(?P<W>` + aName + `)`},
	{"$I", `(?P<I>\[[^\]]*\])`},
	{"$T", `(?P<T>` + aDuration + `)\s*$`},
	{"$.", `$`},

	// What is inside is $1.
	{"[time]", `\[\s*(?P<D>` + aDuration + `)(?::[^\]]*)?\s*\]`},
	{"[any]", `\[\s*["']?\*["']?\s*\]`},
	{"[glob]", `\[\s*["']?(?P<1>[^"'\]]*[*?][^"'\]]*?)["']?\s*\]`},
	{"[quoted]", `\[\s*["'](?P<1>[^"'\]]+)["']\s*\]`},
	{"{host}", `\{\s*(?:instance|job|host|hostname|node|nodename|machineid|domainname|cluster|agent)\s*(?:=~|!~|!=|=)[^,}]*\}`},
	{"{=}", `\{\s*\w+\s*=\s*["'](?P<1>[^"']*)["']\s*\}`},
	{"{!=}", `\{\s*\w+\s*!=\s*["'](?P<1>[^"']*)["']\s*\}`},
	{"{=~}", `\{\s*\w+\s*=~\s*["'](?P<1>[^"']*)["']\s*\}`},
	{"{!~}", `\{\s*\w+\s*!~\s*["'](?P<1>[^"']*)["']\s*\}`},
	{"{...}", `\{[^{}]*\}`},
	{"dashed", `^\s*(?P<1>[A-Za-z]\w*(?:-[A-Za-z]\w*)+)`},
	{"single", `'(?P<1>[^'"]*)'`},
	{"quote", `["'](?P<1>[A-Za-z_]\w*(?:\.\w+)+)["']`},
	{"below", `(?P<1>` + aName + `)\.\*`},
	{"size", `(?P<S>[KMGT](?:B|bytes?))`},
	{"exponent", `(?P<exponent>[0-9]+(?:\.[0-9]*)?[eE][+-]?[0-9]+)`},
}

// partOf returns the pattern of a part, or "" for a word that stands for itself.
func partOf(name string) string {
	for i := range parts {
		if parts[i].name == name {
			return parts[i].pattern
		}
	}
	return ""
}

// The languages of habits.
const (
	strict   = "pcp"
	extended = "extended"
)

// Texts that several habits have.
const (
	metricOnly = "$F() takes the name of a metric and no expression"
	steady     = "the values are the same while no instance appears, disappears, wraps or restarts between two samples"
	interval   = "the time between samples is an option, not part of an expression: eval -t $D, at the prompt :watch $D EXPR, in an archive :step $D"
	noFunction = "there is no function $F"
	noQuantile = noFunction + ": quantiles are over an archive"
	byChoice   = noFunction + "; a choice does the same"
	noBy       = "there is no grouping by labels: an aggregate is over all instances of a metric"
	noLabels   = "labels select nothing in this language: matchinst() selects instances by their names"
	byAtEnd    = "by (LABEL, ...) stands after the parenthesis of avg, count, max, median, min, quantile, stddev or sum"
	byParens   = "the labels after by stand in parentheses, as in by (device, type)"
	noSelect   = "an expression is not a query: it has no SELECT"
	definition = "a definition is NAME = EXPR"
	noOperator = "there is no operator '$F', only multiplication"
	toPrograms = "eval -o csv or -o json gives the values to other programs"
	chooses    = "-a ARCHIVE or -h HOST chooses where values come from, in place of FROM; --sort value orders them, --limit N ends after so many"
	quantiles  = "pmderive -a ARCHIVE summarize '$A' shows p50, p95 and p99 over time"
	groupable  = "avg,count,max,median,min,quantile,stddev,sum"
)

// habits has the forms, those first that count first where several are found.
var habits = []habit{
	{"", "select * from $X where $R", noSelect, []string{"eval --where '$R' selects samples or instances"}, "$X"},
	{"", "select * from $X", noSelect, nil, "$X"},
	{"", "select $A from $B where $R", noSelect, []string{"-a ARCHIVE or -h HOST chooses where values come from, in place of FROM $B", "eval --where '$R' selects samples or instances"}, "$A"},
	{"", "select $A from,where,group,order,limit", noSelect, []string{chooses}, "$A"},
	{"", "select $A $.", noSelect, nil, "$A"},
	{"", "select $R", noSelect, []string{"eval takes several expressions: eval 'EXPR' 'EXPR'", chooses}, ""},
	{"", "$P where $R", "an expression has no $F: it is an option", []string{"eval --where '$R' selects samples or instances"}, "$P"},
	{"", "case when", "a choice is COND ? A : B", nil, ""},
	{"", "let,set,var $W = $R", definition, nil, "$W = $R"},
	{"", "$W ':= $R", definition, nil, "$W = $R"},
	{"", "dashed '= $R", "'$1' is not a name for a metric", []string{"names have letters, digits, _ and dots, as in my_metric = EXPR"}, ""},
	{"", "$P '; $.", "no ';' ends an expression", nil, "$P"},
	{"", "$P ';", "expressions have commas between them", nil, ""},

	// Groups.
	{strict, "$X by,without", noBy, []string{"x alone has a value for each instance, sum(x) one for all of them", "over several hosts, eval -h A -h B --across sum combines the values of each instance"}, ""},
	{extended, "$X without", "there is no without: by names the labels that stay", []string{"as in sum(x) by (LABEL, ...); pminfo -l shows the labels of a metric"}, ""},
	{extended, "topn,bottomn ( $L ) 'by", byAtEnd, []string{"$F() compares the instances of all groups, and there is none for each group"}, ""},
	{extended, "max,min ( $A , $B ) 'by ( $L )", byAtEnd, nil, "sum($F($A, $B)) by ($L)"},
	{extended, groupable + " 'by ( $L ) ( $K )", byAtEnd, nil, "$F($K) by ($L)"},
	{extended, groupable + " 'by $W ( $K )", byParens, nil, "$F($K) by ($W)"},
	{extended, groupable + " ( $K ) 'by ( $L )", "by has small letters", nil, "$F($K) by ($L)"},
	{extended, groupable + " ( $K ) 'by $W", byParens, nil, "$F($K) by ($W)"},
	{extended, "( " + groupable + " ( $K ) ) 'by ( $L )", byAtEnd, nil, "$F($K) by ($L)"},
	{extended, "$W 'by ( $L ) ( $K )", byAtEnd, nil, "sum($W($K)) by ($L)"},
	{extended, "$X by ( $L )", byAtEnd, nil, "sum($X) by ($L)"},
	{extended, "$X by $W", byAtEnd, nil, "sum($X) by ($W)"},

	// Functions.
	{"", "count ( * )", "$F() is how many instances a metric has", []string{"as in count(METRIC)"}, ""},
	{"", "rescale ( $A , 'single )", "texts stand in double quotes", nil, `rescale($A, "$1")`},
	{"", "rescale ( $A , '$W )", "units stand in double quotes", nil, `rescale($A, "$W")`},
	{strict, "max ( $A , $B )", "$F() is over the instances of one metric; a choice compares two operands", nil, "$A > $B ? $A : $B"},
	{strict, "min ( $A , $B )", "$F() is over the instances of one metric; a choice compares two operands", nil, "$A < $B ? $A : $B"},
	{strict, "greatest ( $A , $B )", byChoice, nil, "$A > $B ? $A : $B"},
	{strict, "least ( $A , $B )", byChoice, nil, "$A < $B ? $A : $B"},
	{strict, "abs,fabs ( $A )", byChoice, nil, "$A < 0 ? -$A : $A"},
	{strict, "topk ( $A , $B )", noFunction + ": the largest values are a matter of output", []string{":top $A $B shows them at the prompt, eval --top $A '$B' in a shell"}, ""},
	{strict, "bottomk ( $A , $B )", noFunction + ": the order of values is a matter of output", []string{"eval --sort value '$B' shows the smallest last; at the prompt :set sort value"}, ""},
	{strict, "p50,p75,p90,p95,p99,median,percentile ( $A", noQuantile, []string{quantiles}, ""},
	{strict, "quantile,histogram_quantile,quantile_over_time,percentile_cont,approx_quantile ( $B , $A", noQuantile, []string{quantiles}, ""},
	{strict, "avg_over_time,min_over_time,max_over_time,sum_over_time,count_over_time ( $A", noFunction + ": functions are over the instances of one sample", []string{"pmderive -a ARCHIVE summarize '$A' shows minimum, maximum and mean over time"}, ""},
	{strict, "stddev,stdvar,variance,stdev (", noFunction + ", and nothing with the same values", []string{toPrograms}, ""},
	{strict, "pow,power ( $A , $B )", noFunction + ", only multiplication", nil, "$A ^ $B"},
	{strict, "round,floor,ceil,int,trunc ( $A", noFunction + ": the digits are a matter of output", []string{"eval -f 2 '$A' shows two digits after the point; at the prompt :set precision 2"}, ""},
	{strict, "sqrt,ln,log,log2,log10,exp,sin,cos (", noFunction + ": arithmetic is + - * /", []string{toPrograms}, ""},
	{"", "mean,average ( $A )", "the function is called avg, not $F", nil, "avg($A)"},
	{"", "length,len ( $A )", "the function is called count, not $F", nil, "count($A)"},
	{"", "irate ( $A )", noFunction + ": rate() is always from one sample to the next", []string{interval}, "rate($A)"},
	{"", "deriv ( $A )", noFunction + ": rate() is the change per second from one sample to the next, of any metric", []string{interval}, "rate($A)"},
	{"", "increase,idelta,diff ( $A )", noFunction + ": delta() is the change from one sample to the next", []string{interval}, "delta($A)"},
	{"", "if,iif,ifelse ( $A , $B , $C )", noFunction + "; a choice is COND ? A : B", nil, "$A ? $B : $C"},
	{"", "avg,count,delta,instant,max,min,rate,sum '$W $.", "the operand of $F stands in parentheses", nil, "$F($W)"},
	{"", "$X 'per second,sec", "rate() is the change in a second", nil, "rate($X)"},
	{"", "absent ( $A )", noFunction + "; defined() is 1 where the source has a metric", nil, "!defined($A)"},
	{extended, "topk ( $A , $B )", "the function is called topn, not $F", nil, "topn($A, $B)"},
	{extended, "bottomk ( $A , $B )", "the function is called bottomn, not $F", nil, "bottomn($A, $B)"},
	{extended, "avg_over_time ( $A )", "the function is called avg_over, not $F", nil, "avg_over($A, $D)"},
	{extended, "min_over_time ( $A )", "the function is called min_over, not $F", nil, "min_over($A, $D)"},
	{extended, "max_over_time ( $A )", "the function is called max_over, not $F", nil, "max_over($A, $D)"},
	{extended, "quantile_over_time ( $A , $B )", "the function is called quantile_over, not $F", nil, "quantile_over($A, $B, $D)"},
	{extended, "sum_over_time,count_over_time,stddev_over_time,last_over_time (", noFunction, []string{"over time there are avg_over, max_over, min_over, quantile_over, shift and smooth"}, ""},
	{extended, "avg_over,max_over,min_over ( $A )", "the time of $F(), $D, stands after a comma", nil, "$F($A, $D)"},
	{extended, "quantile_over ( $A , $B )", "the time of $F(), $D, stands after a comma", nil, "$F($A, $B, $D)"},
	{extended, "clamp_min,greatest ( $A , $B )", "the function is called max, not $F", nil, "max($A, $B)"},
	{extended, "clamp_max,least ( $A , $B )", "the function is called min, not $F", nil, "min($A, $B)"},
	{extended, "fabs ( $A )", "the function is called abs, not $F", nil, "abs($A)"},
	{extended, "p50,percentile_50 ( $A )", "the function is called median, not $F", nil, "median($A)"},
	{extended, "p90 ( $A )", "the function is called quantile, not $F", nil, "quantile(0.9, $A)"},
	{extended, "p95 ( $A )", "the function is called quantile, not $F", nil, "quantile(0.95, $A)"},
	{extended, "p99 ( $A )", "the function is called quantile, not $F", nil, "quantile(0.99, $A)"},
	{extended, "stdev,stddev_pop ( $A )", "the function is called stddev, not $F", nil, "stddev($A)"},
	{extended, "stdvar,variance,var_pop ( $A )", noFunction + ": it is the square of the standard deviation", nil, "stddev($A) * stddev($A)"},
	{extended, "log ( $A )", "the natural logarithm is called ln, not $F", nil, "ln($A)"},
	{extended, "log10 ( $A )", noFunction + ", only the natural logarithm", nil, "ln($A) / 2.302585092994046"},
	{extended, "log2 ( $A )", noFunction + ", only the natural logarithm", nil, "ln($A) / 0.6931471805599453"},
	{extended, "power ( $A , $B )", "the function is called pow, not $F", nil, "pow($A, $B)"},

	// Times, instances and labels.
	{"", "$P for $T", "an expression tells about one sample, and not for how long that holds", []string{
		"eval -s 2 -t $T --where '$P' --fail-empty ends with status 3 if the condition holds in none of the samples", "pmie(1) runs rules that hold for some time"}, "$P"},
	{strict, "$X offset", "an expression is about the present sample: earlier ones are in an archive", []string{
		"eval -a ARCHIVE -O '@14:30' EXPR evaluates at a time, at the prompt :time @14:30 goes there", "delta(x) is the difference from the sample before"}, ""},
	{extended, "$X offset", "values of an earlier time are those of shift()", []string{"shift(x, 1hour) is the value an hour before"}, ""},
	{"", "$X '[any]", "a metric alone has the values of all its instances", nil, "$X"},
	{"", "$X '[glob]", "[$1] names one instance, and matchinst() selects those that match a pattern", nil, "matchinst(/$glob/, $X)"},
	{"", "$X '[quoted]", "the name of an instance has no quotes", nil, "$X[$1]"},
	{"", "$X '{ }", noLabels, nil, "$X"},
	{"", "$X '{host}", "a host is not part of an expression: -h HOST or -a ARCHIVE chooses it", []string{"several -h evaluate an expression on several hosts, and --across sum combines their values"}, ""},
	{"", "$X '{=}", noLabels, nil, "$X[$1]"},
	{"", "$X '{!=}", noLabels, nil, "matchinst(!/$glob/, $X)"},
	{"", "$X '{=~}", noLabels, nil, "matchinst(/$whole/, $X)"},
	{"", "$X '{!~}", noLabels, nil, "matchinst(!/$whole/, $X)"},
	{"", "'{...}", noLabels, []string{"x[NAME] is one instance, matchinst(/PATTERN/, x) are those whose names match"}, ""},
	{"", "'[time]", "[$D] is a range of time, which expressions do not have", []string{"rate() and delta() compare a sample with the one before", interval}, " "},
	{"", "$W ( $L ) '$I", "an instance stands after a metric or a parenthesis, not after a function", nil, "($W($L))$I"},

	// Operators and numbers.
	{"", "$X between $Y and $Z", "there is no operator '$F'; two comparisons do the same", nil, "($X >= $Y && $X <= $Z)"},
	{"", "$X and $V", "the operator is '&&', not '$F'", nil, "$X && $V"},
	{"", "$X or $V", "the operator is '||', not '$F'", nil, "$X || $V"},
	{"", "not $U", "negation is '!', not '$F'", nil, "!$U"},
	{"", "$X &,|", "there are no operators on bits; '$F$F' is the logical one", nil, ""},
	{"", "$X =,=== $V", "the operator is '==', not '$F'", nil, "$X == $V"},
	{"", "$X <> $V", "the operator is '!=', not '$F'", nil, "$X != $V"},
	{"", "$X ^,** 1", noOperator, nil, "$X"},
	{"", "$X ^,** 2", noOperator, nil, "$X * $X"},
	{"", "$X ^,** 3", noOperator, nil, "$X * $X * $X"},
	{"", "$X ^,** 4", noOperator, nil, "$X * $X * $X * $X"},
	{extended, "$X ^,** $Y", "there is no operator '$F', but a function", nil, "pow($X, $Y)"},
	{"", "$X ^,**", noOperator, nil, ""},
	{"", "$X %,mod $Y", "there is no remainder: arithmetic is + - * /, and / keeps the fraction", []string{toPrograms}, ""},
	{"", "$N %", "a number has no percent sign", []string{"a ratio is a number such as 0.05; 100 * a / b is one in percent"}, ""},
	{"", "$P as $W $.", "a name stands before its expression, with = between them", nil, "$W = $P"},
	{"", "$N 'size", "a number with a unit is a constant", nil, `mkconst($N, units="$S")`},
	{"", "$X 'size", "rescale() shows values in other units", nil, `rescale($X, "$S")`},
	{"", "quote", "the name of a metric has no quotes", nil, "$1"},
	{"", "below $.", "a name is no pattern: $1 stands for all metrics below it", []string{":metrics $1 lists them at the prompt"}, ""},
	{"", "'exponent", "numbers have no exponent", nil, "$exponent"},
	{"", "$", "operands are metrics with names, not fields or variables", []string{":metrics lists the names at the prompt, pminfo in a shell"}, ""},

	// The aggregates of PCP's language take the name of a metric.
	{strict, "sum ( 'rate,delta ( $A ) )", metricOnly, []string{steady}, "$O(sum($A))"},
	{strict, "avg ( 'rate,delta ( $A ) )", metricOnly, []string{steady, "avg() of a counter has 7 digits, too few for its changes: sum() divided by count() has all"}, `$O(sum($A)) / rescale(count($A), "")`},
	{strict, "count ( 'rate,delta ( $A ) )", metricOnly, []string{"count(x) counts also an instance that is new in a sample and has no $O yet"}, "count($A)"},
	{strict, "max ( 'rate,delta ( $A ) )", metricOnly, []string{"the largest $O of the instances is not the $O of the largest value, so no expression has it",
		":top 1 $O($A) shows it at the prompt, eval --top 1 '$O($A)' in a shell"}, ""},
	{strict, "min ( 'rate,delta ( $A ) )", metricOnly, []string{"the smallest $O of the instances is not the $O of the smallest value, so no expression has it",
		"eval --sort value '$O($A)' shows it last; at the prompt :set sort value"}, ""},
	{strict, "avg,count,max,min,sum ( 'matchinst (", metricOnly, []string{"$F() of some instances cannot be written: x[A] + x[B] adds single ones, and eval -i 'PATTERN' shows those that match"}, ""},
	{strict, "avg,count,max,min,sum ( '( $A ) )", metricOnly, nil, "$F($A)"},
	{strict, "avg,count,max,min,sum ( '$E )", metricOnly, nil, ""},
}
