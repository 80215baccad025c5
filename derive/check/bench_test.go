package check

import (
	"strings"
	"testing"

	"pmtools/derive/syntax"
)

func BenchmarkCheck(b *testing.B) {
	env := readEnvs(b)["SE"]
	for _, tc := range []struct{ name, expr string }{
		{"metric", "sample.byte_ctr"},
		{"sum", "sample.byte_ctr + sample.kbyte_ctr"},
		{"rate", `rescale(rate(sample.byte_ctr)*(sample.byte_rate > 100 && 1),"Kbyte/hour")`},
		{"choice", "defined(no.such) ? no.such : sample.mirage"},
		{"pattern", "matchinst(/m-[0-9]{2}/, sample.mirage)"},
		{"long", "1" + strings.Repeat("+sample.scale_step.none_up", 1000)},
	} {
		e := mustParse(b, tc.expr)
		b.Run(tc.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Check(e, env, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCheckCases checks all of testdata, errors too.
func BenchmarkCheckCases(b *testing.B) {
	envs := readEnvs(b)
	type parsed struct {
		e   syntax.Expr
		env Env
		opt Options
	}
	var list []parsed
	for _, c := range allCases(b) {
		if e, err := Syntax().Parse(c.expr); err == nil {
			list = append(list, parsed{e, envs[c.context], c.opt})
		}
	}
	for b.Loop() {
		for _, p := range list {
			_, _ = Check(p.e, p.env, &p.opt)
		}
	}
	b.ReportMetric(float64(len(list)), "exprs/op")
}
