package golden

import (
	"reflect"
	"testing"

	_ "pmtools/test/env"
)

func TestRoundTrip(t *testing.T) {
	const text = "# PCP 7.2\n" +
		"$ pminfo -a 'a b' ''\n>\n> x\n>  y\n! no\n? 1\n\n" +
		"$ pminfo\n> z\n> \\\n"
	head, es, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	want := []Entry{
		{Line: "pminfo -a 'a b' ''", Args: []string{"pminfo", "-a", "a b", ""}, Stdout: "\nx\n y\n", Stderr: "no\n", Status: 1},
		{Line: "pminfo", Args: []string{"pminfo"}, Stdout: "z"},
	}
	if !reflect.DeepEqual(es, want) {
		t.Errorf("got %+v\nwant %+v", es, want)
	}
	if got := Format(head, es); got != text {
		t.Errorf("got %q\nwant %q", got, text)
	}
}

func TestBad(t *testing.T) {
	for _, text := range []string{"$ a 'b\n", "$ a\nx\n", "$ a\n? x\n"} {
		if _, _, err := Parse(text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}
