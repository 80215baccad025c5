package pcp

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pmtools/lib/pmerr"
)

func TestParseAndMergeLabels(t *testing.T) {
	tests := []struct {
		name string
		sets []string // lowest precedence first
		want string
	}{
		{"sorted", []string{`{"b":1,"a":2}`}, `{"a":2,"b":1}`},
		{"higher set wins", []string{`{"a":1,"b":2}`, `{"b":3,"c":4}`}, `{"a":1,"b":3,"c":4}`},
		{"three sets", []string{`{"c":3}`, `{"b":2}`, `{"a":1,"c":4}`}, `{"a":1,"b":2,"c":4}`},
		{"equal labels", []string{`{"a":1}`, `{"a":1}`}, `{"a":1}`},
		{"empty set above", []string{`{"a":1}`, `{}`}, `{"a":1}`},
		{"empty set", []string{`{}`}, `{}`},
		{"empty text", []string{"", " \n"}, `{}`},
		{"objects", []string{`{"a":{"b":1}}`, `{"a":{"c":2}}`}, `{"a.b":1,"a.c":2}`},
		{"object in an object", []string{`{"a":{"b":{"c":1}},"d":2}`}, `{"a.b.c":1,"d":2}`},
		{"empty object", []string{`{"a":{},"b":1}`}, `{"a":{},"b":1}`},
		{"values are kept", []string{`{"a":null,"b":true,"c":-1.5e3}`}, `{"a":null,"b":true,"c":-1.5e3}`},
		{"strings are kept", []string{`{"a":"x\"}y","b":"c d","c":""}`}, `{"a":"x\"}y","b":"c d","c":""}`},
		{"lists", []string{`{"a":[1, {"b": "]"}],"b":[ ]}`}, `{"a":[1,{"b":"]"}],"b":[]}`},
		{"white space", []string{" { \"a\" : \"b c\" ,\n\"d\" : 1 } "}, `{"a":"b c","d":1}`},
		{"order is bytewise", []string{`{"aa":1,"a":2,"ab":3,"B":4}`}, `{"B":4,"a":2,"aa":1,"ab":3}`},
		{"bad name left out", []string{`{"a-b":1,"c":2}`}, `{"c":2}`},
		{"bad name with an object", []string{`{"a-b":{"x":1},"c":2}`}, `{"c":2}`},
		{"odd names", []string{`{"_a":1,"1a":1,"a.b":2}`}, `{"1a":1,"_a":1,"a.b":2}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var sets [][]Label
			for _, text := range tt.sets {
				labels, err := ParseLabels(text, uint8(ItemLabels))
				if err != nil {
					t.Fatalf("ParseLabels(%s): %v", text, err)
				}
				sets = append(sets, labels)
			}
			if got := string(AppendLabels(nil, MergeLabels(sets...))); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestParseLabelsErrors(t *testing.T) {
	many := make([]string, 256)
	for i := range many {
		many[i] = `"a` + strconv.Itoa(i) + `":1`
	}
	tests := []struct {
		name string
		text string
		want pmerr.Code
	}{
		{"twice", `{"a":1,"a":2}`, pmerr.EINVAL},
		{"twice, once in an object", `{"a":{"b":1},"a.b":2}`, pmerr.EINVAL},
		{"only a bad name", `{"a-b":1}`, pmerr.EINVAL},
		{"only a bad name in an object", `{"a":{"b-c":1}}`, pmerr.EINVAL},
		{"empty name", `{"":1}`, pmerr.EINVAL},
		{"escaped name", `{"a\u0041":1}`, pmerr.EINVAL},
		{"name with other letters", `{"é":1}`, pmerr.EINVAL},
		{"name too long", `{"` + strings.Repeat("a", 255) + `":1}`, pmerr.EINVAL},
		{"no object", `[1]`, pmerr.EINVAL},
		{"number", `1`, pmerr.EINVAL},
		{"string", `"a"`, pmerr.EINVAL},
		{"no JSON", `notjson`, pmerr.EINVAL},
		{"cut", `{"a":1`, pmerr.EINVAL},
		{"more", `{"a":1}x`, pmerr.EINVAL},
		{"too many", "{" + strings.Join(many, ",") + "}", pmerr.TooBig},
		{"too long", `{"a":"` + strings.Repeat("x", 65535) + `"}`, pmerr.TooBig},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if labels, err := ParseLabels(tt.text, 0); err != tt.want || labels != nil {
				t.Errorf("got %v, %v, want %v", labels, err, tt.want)
			}
		})
	}
	if _, err := ParseLabels("{"+strings.Join(many[:255], ",")+"}", 0); err != nil {
		t.Errorf("255 labels: %v", err)
	}
}

func TestLabelFlags(t *testing.T) {
	labels, err := ParseLabels(`{"a":1,"b":{"c":"d"}}`, uint8(ContextLabels)|LabelOptional)
	if err != nil {
		t.Fatal(err)
	}
	want := []Label{
		{Name: "a", Value: "1", Flags: uint8(ContextLabels) | LabelOptional},
		{Name: "b.c", Value: `"d"`, Flags: uint8(ContextLabels) | LabelOptional | LabelCompound},
	}
	if !slices.Equal(labels, want) {
		t.Errorf("got %v, want %v", labels, want)
	}
}

func TestWithoutOptional(t *testing.T) {
	all := []Label{{Name: "a", Value: "1"}, {Name: "b", Value: "2", Flags: LabelOptional}, {Name: "c", Value: "3", Flags: uint8(ItemLabels)}}
	got := string(AppendLabels([]byte("labels "), WithoutOptional(all)))
	if want := `labels {"a":1,"c":3}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if all[1].Name != "b" || all[2].Name != "c" {
		t.Errorf("the labels given have changed: %v", all)
	}
}

func TestMergeLabelsOfNothing(t *testing.T) {
	if got := string(AppendLabels(nil, MergeLabels())); got != "{}" {
		t.Errorf("got %s, want {}", got)
	}
}

// FuzzLabels: labels are sorted, and their JSON is read as the same labels.
func FuzzLabels(f *testing.F) {
	for _, s := range []string{
		`{"b":1,"a":2}`, `{"a":{"b":[1,2,{"c":"}"}]}}`, `{}`, ``, `{"a":"\\\""}`, `[1]`, `{"a":{}}`, `{"a-b":{"c":1},"d":-1.5e3}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		labels, err := ParseLabels(s, 0)
		if err != nil {
			if labels != nil {
				t.Fatal("labels with an error")
			}
			return
		}
		if !slices.IsSortedFunc(labels, func(a, b Label) int { return strings.Compare(a.Name, b.Name) }) {
			t.Errorf("not sorted: %v", labels)
		}
		text := AppendLabels(nil, MergeLabels(labels))
		if !json.Valid(text) {
			t.Fatalf("ParseLabels(%q) gives %s", s, text)
		}
		again, err := ParseLabels(string(text), 0)
		if err != nil || !slices.Equal(again, labels) {
			t.Errorf("ParseLabels(%q): %v, then %v, %v", s, labels, again, err)
		}
	})
}

func BenchmarkMergeLabels(b *testing.B) {
	low, _ := ParseLabels(`{"hostname":"a","machineid":"b","domainname":"c"}`, 1)
	high, _ := ParseLabels(`{"agent":"linux","hostname":"d"}`, 2)
	for b.Loop() {
		MergeLabels(low, high)
	}
}
