package check

import "testing"

// TestExtensions covers the metadata of what only the extended language has, with the metrics of
// testdata.
func TestExtensions(t *testing.T) {
	envs := readEnvs(t)
	for _, tt := range []struct{ context, expr, want string }{
		{"SE", "sum(rate(sample.byte_ctr))", "DOUBLE - instant byte / sec"},
		{"SE", "sum(sample.byte_ctr * 2)", "U32 - counter byte"},
		{"SE", "avg(sample.mirage * 2)", "FLOAT - instant Kbyte / sec"},
		{"SE", "max(sample.mirage / 2)", "DOUBLE - instant Kbyte / sec"},
		{"SE", "count(sample.mirage > 5)", "U32 - instant count"},
		{"SE", "rate(sum(sample.byte_ctr + sample.kbyte_ctr))", "DOUBLE - instant Kbyte / sec"},
		{"SE", "sum(pmcd.pmlogger.host)", "SE: SUM(pmcd.pmlogger.host): Non-arithmetic operand for function"},
		{"SE", "sum(no.such * 2)", "SE: operand no.such: Unknown operand metric"},
		{"SE", "topn(3, sample.mirage)", "32 29.3 instant Kbyte / sec"},
		{"SE", "bottomn(3, rate(sample.byte_ctr))", "DOUBLE - instant byte / sec"},
		{"SE", "topn(3, sample.byte_ctr)", "SE: TOPN(sample.byte_ctr): Counter operand for function"},
		{"SE", "topn(3, pmcd.pmlogger.host)", "SE: TOPN(pmcd.pmlogger.host): Non-arithmetic operand for function"},
		{"SE", "quantile(0.9, sample.mirage)", "DOUBLE - instant Kbyte / sec"},
		{"SE", "median(sample.mirage)", "DOUBLE - instant Kbyte / sec"},
		{"SE", "stddev(sample.mirage)", "DOUBLE - instant Kbyte / sec"},
		{"SE", "abs(sample.mirage)", "U32 29.3 instant Kbyte / sec"},
		{"SE", "abs(sample.mirage_longlong)", "U64 29.3 instant byte / millisec"},
		{"SE", "abs(1.5)", "DOUBLE - discrete none"},
		{"SE", "round(sample.mirage)", "32 29.3 instant Kbyte / sec"},
		{"SE", "floor(sample.scale_step.count_down)", "DOUBLE - instant count"},
		{"SE", "ceil(sample.byte_ctr)", "SE: CEIL(sample.byte_ctr): Counter operand for function"},
		{"SE", "ln(sample.scale_step.none_up)", "DOUBLE - instant none"},
		{"SE", "exp(2)", "DOUBLE - discrete none"},
		{"SE", "ln(sample.mirage)", "SE: LN(sample.mirage): Operand of function has a dimension"},
		{"SE", "sqrt(sample.mirage * sample.mirage)", "DOUBLE 29.3 instant Kbyte / sec"},
		{"SE", "sqrt(sample.mirage)", "SE: SQRT(sample.mirage): Operand of function has a dimension without a square root"},
		{"SE", "pow(sample.scale_step.none_up, 2)", "DOUBLE - instant none"},
		{"SE", "pow(sample.mirage, 2)", "SE: sample.mirage pow 2: Operand of function has a dimension"},
		{"SE", "max(sample.mirage, 0)", "32 29.3 instant Kbyte / sec"},
		{"SE", "min(4294967295, sample.mirage)", "64 29.3 instant Kbyte / sec"},
		{"SE", "max(sample.mirage, abs(sample.mirage))", "64 29.3 instant Kbyte / sec"},
		{"SE", "max(sample.mirage_longlong, abs(sample.mirage_longlong))", "DOUBLE 29.3 instant byte / millisec"},
		{"SE", "max(0.5, sample.mirage)", "DOUBLE 29.3 instant Kbyte / sec"},
		{"SE", "min(sample.byte_rate, sample.byte_rate_perhour)", "DOUBLE - instant byte / hour"},
		{"SE", "max(1, 2)", "U32 - discrete none"},
		{"SE", "max(sample.byte_ctr, 1)", "SE: sample.byte_ctr max 1: Illegal operator for counters"},
		{"SE", "max(sample.mirage, sample.scale_step.bytes_down)", "SE: sample.mirage max sample.scale_step.bytes_down: Dimensions are not the same"},
		{"SE", "max(sample.mirage, mkconst(1, units=byte))", "SE: sample.mirage max 1: Dimensions are not the same"},
		{"SE", "max(pmcd.pmlogger.host, 1)", "SE: pmcd.pmlogger.host max 1: Non-arithmetic type for left operand"},
		{"SE", "clamp(sample.mirage, 0, 10.5)", "DOUBLE 29.3 instant Kbyte / sec"},
		{"SE", "clamp(sample.mirage, 0, sample.scale_step.bytes_down)", "SE: <expr> clamp sample.scale_step.bytes_down: Dimensions are not the same"},
		{"DE", "max(sample.colour, sample.bin)", "SE: sample.colour max sample.bin: Operands should have the same instance domain"},
		{"DE", "pow(sample.colour, sample.bin)", "SE: sample.colour pow sample.bin: Operands should have the same instance domain"},
		{"EX", "max(sample.voltage.volt, sample.voltage.millivolt)", "SE: sample.voltage.volt max sample.voltage.millivolt: Operands have incompatible extra units or scale"},
		{"EX", "max(sample.voltage.volt, sample.current.amp)", "SE: sample.voltage.volt max sample.current.amp: Dimensions are not the same"},
		{"EX", "sqrt(sample.power.watt)", "SE: SQRT(sample.power.watt): Operand of function has a dimension without a square root"},
		{"SE", "avg_over(sample.mirage, 5min)", "DOUBLE 29.3 instant Kbyte / sec"},
		{"SE", "quantile_over(0.5, sample.mirage, 5min)", "DOUBLE 29.3 instant Kbyte / sec"},
		{"SE", "smooth(1, 5min)", "DOUBLE - instant none"},
		{"SE", "max_over(sample.mirage, 5min)", "32 29.3 instant Kbyte / sec"},
		{"SE", "min_over(1, 5min)", "U32 - instant none"},
		{"SE", "shift(sample.byte_ctr, 1hour)", "32 - counter byte"},
		{"SE", "sample.byte_ctr - shift(sample.byte_ctr, 1hour)", "32 - counter byte"},
		{"SE", "smooth(sample.byte_ctr, 1min)", "SE: SMOOTH(sample.byte_ctr): Counter operand for function"},
		{"SE", "max_over(sample.byte_ctr, 1min)", "SE: MAX_OVER(sample.byte_ctr): Counter operand for function"},
		{"SE", "shift(pmcd.pmlogger.host, 1min)", "SE: SHIFT(pmcd.pmlogger.host): Non-arithmetic operand for function"},
	} {
		if got := outcomeIn(Extended, tt.expr, envs[tt.context], nil); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.expr, got, tt.want)
		}
	}
}
