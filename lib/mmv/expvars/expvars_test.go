package expvars_test

import (
	"context"
	"expvar"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pmtools/lib/mmv"
	"pmtools/lib/mmv/expvars"
	"pmtools/lib/pcp"
	_ "pmtools/test/env"
)

// TestVars publishes variables of all kinds, and reads the file.
func TestVars(t *testing.T) {
	dir := t.TempDir()
	r, err := mmv.Create("acme", mmv.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	hits, load, state := expvar.NewInt("http.hits-now"), expvar.NewFloat("load"), expvar.NewString("state")
	codes, mixed := expvar.NewMap("codes"), expvar.NewMap("mixed")
	expvar.Publish("func", expvar.Func(func() any { return map[string]any{"b": true, "a": 1.5, "s": "text", "list": []int{1}} }))
	hits.Set(7)
	load.Set(0.5)
	state.Set("up")
	codes.Add("200", 3)
	mixed.Add("n", 1)
	mixed.AddFloat("x y", 0.25)
	vars := expvars.New(r)
	vars.Counter = func(name string) bool { return name == "codes" }
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	updates := 0
	err = mmv.Every(ctx, time.Millisecond, func() {
		vars.Update()
		codes.Add("404", 1) // a key that comes later
		if updates++; updates == 3 {
			cancel()
		}
	})
	if err != context.Canceled || r.Err() != nil {
		t.Fatal(err, r.Err())
	}
	b, err := os.ReadFile(filepath.Join(dir, "acme"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := mmv.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for i := range f.Values {
		m := &f.Metrics[f.Values[i].Metric]
		v, err := f.Value(b, &f.Values[i], time.Now())
		if err != nil {
			t.Fatal(err)
		}
		text, _ := v.Text()
		got[fmt.Sprint(m.Name, " ", f.Values[i].Inst)] = fmt.Sprint(m.Type, " ", m.Sem == pcp.Counter, " ", text)
	}
	want := "map[codes 0:64 true 3 codes 1:64 true 2 func.a -1:DOUBLE false 1.5 func.b -1:64 false 1 func.s -1:STRING false text " +
		"http.hits_now -1:64 false 7 load -1:DOUBLE false 0.5 mixed.n -1:64 false 1 mixed.x_y -1:DOUBLE false 0.25 state -1:STRING false up]"
	if fmt.Sprint(got) != want {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}
