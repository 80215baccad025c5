package hostfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	_ "pmtools/test/env"
)

// TestParse reads lists in both forms.
func TestParse(t *testing.T) {
	env := map[string]string{"env": "test"}
	for _, tt := range []struct {
		text string
		want []Host
		err  string
	}{
		{"a\n# all\n b # mine\n\n", []Host{{Name: "a"}, {Name: "b"}}, ""},
		{"a\r\nb", []Host{{Name: "a"}, {Name: "b"}}, ""},
		{"", nil, "it names no host"},
		{" # nothing\n", nil, "it names no host"},
		{" []\n", nil, ""},
		{`[{"targets": ["a", " b:44321"], "labels": {"env": "test", "__meta": "x"}}, {"targets": ["c"]}]`,
			[]Host{{"a", env}, {"b:44321", env}, {"c", nil}}, ""},
		{`[{"targets": ["a"], "labels": {"env": 3}}]`, nil, "it is not a list of hosts in JSON, such as "},
		{`[{"targets": ["a"`, nil, "it is not a list of hosts in JSON"},
		{`[{"targets": [""]}]`, nil, "a target is empty"},
		{strings.Repeat("h\n", maxHosts+1), nil, "it has more than 100000 hosts"},
	} {
		list, err := Read(strings.NewReader(tt.text))
		if diff := cmp.Diff(list, tt.want); diff != "" && tt.err == "" {
			t.Errorf("%.40q: %s", tt.text, diff)
		}
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%.40q: %v, want %q", tt.text, err, tt.err)
		}
	}
}

// TestWatch follows a file that changes, is damaged, refused and gone, each of which is reported once.
func TestWatch(t *testing.T) {
	w := &Watch{Name: filepath.Join(t.TempDir(), "hosts"), Check: func(names []string) error {
		if len(names) > 0 && names[0] == "bad" {
			return errors.New("bad is no host")
		}
		return nil
	}}
	now := time.Now()
	for i, step := range []struct {
		text, want, err string
		changed         bool
	}{
		{"", "", "it names no host", false},
		{"a\nb\n", "a b", "", true},
		{"a\nb\n", "", "", false},
		{"bad\n", "", "bad is no host", false},
		{"bad\n", "", "", false},
		{`[{"targets": [`, "", "not a list of hosts in JSON", false},
		{"a\nb\n", "", "", false},
		{`[{"targets": [`, "", "not a list of hosts in JSON", false},
		{"gone", "", "no such file", false},
		{"[]", "", "", true},
		{"c", "c", "", true},
	} {
		if err := os.WriteFile(w.Name, []byte(step.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if step.text == "gone" {
			os.Remove(w.Name)
		}
		list, changed, err := w.Changed(now)
		if now = now.Add(pause); changed != step.changed || (err == nil) != (step.err == "") {
			t.Errorf("%d: %v, %v, %v", i, list, changed, err)
		} else if err != nil && (!strings.Contains(err.Error(), step.err) || !strings.Contains(err.Error(), w.Name)) {
			t.Errorf("%d: %v", i, err)
		}
		var names []string
		for _, h := range list {
			names = append(names, h.Name)
		}
		if got := strings.Join(names, " "); got != step.want {
			t.Errorf("%d: %q", i, got)
		}
		if _, again, err := w.Changed(now.Add(-1)); again || err != nil {
			t.Errorf("%d: a look before its time: %v", i, err)
		}
	}
}
