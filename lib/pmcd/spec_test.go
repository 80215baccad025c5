package pmcd

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pmtools/lib/pmerr"
)

func TestParseSpec(t *testing.T) {
	name := func(key, value string) Attr { return Attr{key, value, true} }
	for _, tt := range []struct {
		text string
		want Spec
	}{
		{"host", Spec{Hosts: []Host{{Name: "host"}}}},
		{"host:44321", Spec{Hosts: []Host{{"host", []int{44321}}}}},
		{"app1:44321,4321@proxy:44322", Spec{Hosts: []Host{{"app1", []int{44321, 4321}}, {"proxy", []int{44322}}}}},
		{"a@b@c:1,2", Spec{Hosts: []Host{{Name: "a"}, {Name: "b"}, {"c", []int{1, 2}}}}},
		{"host:0", Spec{Hosts: []Host{{"host", []int{0}}}}},
		{"host:070", Spec{Hosts: []Host{{"host", []int{70}}}}},
		{"host:65535", Spec{Hosts: []Host{{"host", []int{65535}}}}},
		{"a b", Spec{Hosts: []Host{{Name: "a b"}}}},
		{"h[x", Spec{Hosts: []Host{{Name: "h[x"}}}},
		{"h]", Spec{Hosts: []Host{{Name: "h]"}}}},
		{"host #x", Spec{Hosts: []Host{{Name: "host #x"}}}},
		{"[fe80::1]:44321", Spec{Hosts: []Host{{"fe80::1", []int{44321}}}}},
		{"[fe80::1%eth0]", Spec{Hosts: []Host{{Name: "fe80::1%eth0"}}}},
		{"[]:1", Spec{Hosts: []Host{{"", []int{1}}}}},
		{"[a@b/c]", Spec{Hosts: []Host{{Name: "a@b/c"}}}},
		{"pcp:host", Spec{Scheme: "pcp", Hosts: []Host{{Name: "host"}}}},
		{"pcp:////host", Spec{Scheme: "pcp", Hosts: []Host{{Name: "host"}}}},
		{"pcps://host/path?user=x", Spec{Scheme: "pcps", Hosts: []Host{{Name: "host"}}}},
		{"pcps://host?secure=relaxed", Spec{Scheme: "pcps", Hosts: []Host{{Name: "host"}}, Attrs: []Attr{name("secure", "relaxed")}}},
		{"host:1/x", Spec{Hosts: []Host{{"host", []int{1}}}}},
		{"unix:", Spec{Scheme: "unix"}},
		{"unix:///", Spec{Scheme: "unix"}},
		{"local:", Spec{Scheme: "local"}},
		{"unix:run/x", Spec{Scheme: "unix", Path: "/run/x"}},
		{"unix:/run/x", Spec{Scheme: "unix", Path: "/run/x"}},
		{"unix:///run/x", Spec{Scheme: "unix", Path: "/run/x"}},
		{"local:///run//x", Spec{Scheme: "local", Path: "/run//x"}},
		{"unix:/a?user=x", Spec{Scheme: "unix", Path: "/a", Attrs: []Attr{name("username", "x")}}},
		{"unix:x@y", Spec{Scheme: "unix", Path: "/x@y"}},
		{"local:?user=bob", Spec{Scheme: "local", Attrs: []Attr{name("username", "bob")}}},
		{"host?user=a+b&pass=x%2Fy", Spec{Hosts: []Host{{Name: "host"}}, Attrs: []Attr{name("password", "x/y"), name("username", "a b")}}},
		{"host?user=otto&pass=blotto&compress", Spec{Hosts: []Host{{Name: "host"}},
			Attrs: []Attr{{Key: "compress"}, name("password", "blotto"), name("username", "otto")}}},
		{"h@p?user=x", Spec{Hosts: []Host{{Name: "h"}, {Name: "p"}}, Attrs: []Attr{name("username", "x")}}},
	} {
		t.Run(tt.text, func(t *testing.T) {
			got, err := ParseSpec(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(&tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestSpecErrors has the rows of wire.md W2.3, and further observations of the reference.
func TestSpecErrors(t *testing.T) {
	const (
		missing   = "missing port"
		number    = "non-numeric port"
		closing   = "missing closing ']' for host spec"
		extra     = "extra characters after host spec"
		unexpect  = "unexpected terminal character"
		escape    = "bad escape in attribute value"
		portRange = "port out of range"
	)
	for _, tt := range []struct {
		text   string
		pos    int
		reason string
		code   pmerr.Code
	}{
		{"host:abc", 5, number, pmerr.Generic},
		{"fe80::1", 5, number, pmerr.Generic},
		{"a b:xyz", 4, number, pmerr.Generic},
		{"h:1:2", 3, number, pmerr.Generic},
		{"host:1,2x", 8, number, pmerr.Generic},
		{"h:+1", 2, number, pmerr.Generic},
		{"h: 1", 2, number, pmerr.Generic},
		{"h:1 ", 3, number, pmerr.Generic},
		{"h@p:x", 4, number, pmerr.Generic},
		{"::1", 0, unexpect, pmerr.Generic},
		{":44321", 0, unexpect, pmerr.Generic},
		{":", 0, unexpect, pmerr.Generic},
		{"@proxy", 0, unexpect, pmerr.Generic},
		{"pcp://@proxy", 6, unexpect, pmerr.Generic},
		{"a@", 2, unexpect, pmerr.Generic},
		{"h@:3", 2, unexpect, pmerr.Generic},
		{"h@?user=x", 2, unexpect, pmerr.Generic},
		{"[::1", 4, closing, pmerr.Generic},
		{"h@[p", 4, closing, pmerr.Generic},
		{"[::1]x", 5, extra, pmerr.Generic},
		{"h@[p]x", 5, extra, pmerr.Generic},
		{"[a]:", 4, missing, pmerr.Generic},
		{"host:", 5, missing, pmerr.Generic},
		{"host:?x", 5, missing, pmerr.Generic},
		{"host:/", 5, missing, pmerr.Generic},
		{"host:1,", 7, missing, pmerr.Generic},
		{"host:1,@p", 7, missing, pmerr.Generic},
		{"host:,1", 5, missing, pmerr.Generic},
		{"host:1,,2", 7, missing, pmerr.Generic},
		{"PCP://host", 4, missing, pmerr.Generic},
		{"http://host", 5, missing, pmerr.Generic},
		{"pcp:unix:/x", 9, missing, pmerr.Generic},
		{"unix:/a/b:c", 9, unexpect, pmerr.Generic},
		{"unix:/a:?x", 7, unexpect, pmerr.Generic},
		{"local:x:?user=a", 7, unexpect, pmerr.Generic},
		{"h:70000", 2, portRange, pmerr.Generic},
		{"h:99999999999999999999", 2, portRange, pmerr.Generic},
		{"h\x00x", 1, unexpect, pmerr.Generic},
		{"host?user=%zz", 10, escape, pmerr.EINVAL},
		{"host?user=ab%4", 12, escape, pmerr.EINVAL},
		{"unix:?user=%00", 11, escape, pmerr.EINVAL},
		{"?user=%zz", 6, escape, pmerr.EINVAL},
		{"", 0, "", pmerr.NotHost},
		{"pcp:", 0, "", pmerr.NotHost},
		{"pcps://", 0, "", pmerr.NotHost},
		{"/", 0, "", pmerr.NotHost},
		{"/x", 0, "", pmerr.NotHost},
		{"?user=x", 0, "", pmerr.NotHost},
		{"pcp:///?x", 0, "", pmerr.NotHost},
	} {
		t.Run(tt.text, func(t *testing.T) {
			_, err := ParseSpec(tt.text)
			var got *SpecError
			if !errors.As(err, &got) {
				t.Fatalf("error %v", err)
			}
			want := SpecError{tt.text, tt.pos, tt.reason, tt.code}
			if *got != want {
				t.Errorf("got %+v, want %+v", *got, want)
			}
			if !errors.Is(err, tt.code) || pmerr.Of(err) != tt.code {
				t.Errorf("code %v", pmerr.Of(err))
			}
		})
	}
}

func TestSpecErrorText(t *testing.T) {
	for _, tt := range []struct{ text, message, text1 string }{
		{"host:abc", "pmNewContext: bad host specification\nhost:abc\n     ^ -- non-numeric port\n", `host specification "host:abc": column 6: non-numeric port`},
		{"@proxy", "pmNewContext: bad host specification\n@proxy\n^ -- unexpected terminal character\n", `host specification "@proxy": column 1: unexpected terminal character`},
		{"", "", `host specification "": Operation requires context with host source of metrics`},
	} {
		_, err := ParseSpec(tt.text)
		e := err.(*SpecError)
		if got := e.Message(); got != tt.message {
			t.Errorf("%q: message %q, want %q", tt.text, got, tt.message)
		}
		if got := e.Error(); got != tt.text1 {
			t.Errorf("%q: error %q, want %q", tt.text, got, tt.text1)
		}
	}
}

// TestSpecString has the rows of values.md V22.3. Where the reference orders attributes by its hash
// table, ours are sorted; where it drops brackets that are needed, ours stay.
func TestSpecString(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"host:44321,4321@proxy:44322", "host:44321,4321@proxy:44322"},
		{"[fe80::1]:44321", "[fe80::1]:44321"},
		{"[a:b]:1@[c:d]:2", "[a:b]:1@[c:d]:2"},
		{"[a]", "a"},
		{"pcp:host", "pcp://host"},
		{"pcps://host", "pcps://host"},
		{"local:", "local://run/pcp/pmcd.socket"},
		{"local:/srv/x", "local://srv/x"},
		{"unix://srv/sock", "unix://srv/sock"},
		{"unix:a/b", "unix://a/b"},
		{"host?user=otto&pass=blotto&compress", "host?compress&password=blotto&username=otto"},
		{"host?user=a%20b", "host?username=a+b"},
		{"host/?user=x", "host"},
		{"h?user=+%2B%7e~-_.!*'(),;:@$é", "h?username=+%2B%7E%7E-_.%21%2A%27%28%29%2C%3B%3A%40%24%C3%A9"},
		{"h:070", "h:70"},
		{"[]:1", "[]:1"},
		{"[pcp]:1", "[pcp]:1"},
		{"[a@b]", "[a@b]"},
		{"pcps://h?secure=", "pcps://h?secure="},
		{"pcps://h?secure", "pcps://h?secure"},
	} {
		s, err := ParseSpec(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.String(); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestSpecHost(t *testing.T) {
	for _, tt := range []struct {
		text, want string
		local      bool
	}{
		{"a@b", "a", false}, {"[::1]:4", "::1", false}, {"unix:", defaultSocket, true}, {"local:x", "/x", true},
	} {
		s, err := ParseSpec(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		if s.Host() != tt.want || s.local() != tt.local {
			t.Errorf("%q: host %q, local %v", tt.text, s.Host(), s.local())
		}
	}
	if h := (&Spec{}).Host(); h != "" {
		t.Errorf("empty specification: host %q", h)
	}
}

// FuzzParseSpec: a specification that is written again is parsed as the same; the place of an error is in the text
// shown.
func FuzzParseSpec(f *testing.F) {
	for _, s := range []string{
		"", "host", "h:1,2@p:3?user=a%20b&pass=x", "[::1]:44321", "unix:/x?compress", "local:", "pcps://h?secure=relaxed", "h?user=%zz", "a@", "::1",
		"[[]", "h?container&&exclusive=", "pcp:pcp:1", "unix:///a:b",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSpec(text)
		if err != nil {
			e := err.(*SpecError)
			if e.Pos < 0 || e.Pos > len(e.Spec) {
				t.Fatalf("position %d of %q", e.Pos, e.Spec)
			}
			_ = e.Message()
			return
		}
		again, err := ParseSpec(s.String())
		if err != nil {
			t.Fatalf("%q from %q: %v", s.String(), text, err)
		}
		if s.local() && s.Path == "" {
			s.Path = defaultSocket
		}
		if d := cmp.Diff(s, again, cmpopts.IgnoreUnexported(Spec{}), cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("%q from %q: %s", s.String(), text, d)
		}
	})
}

func BenchmarkParseSpec(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseSpec("pcps://app1:44321,4321@proxy:44322?user=bob&pass=x%2Fy&container=c"); err != nil {
			b.Fatal(err)
		}
	}
}

// TestRedactedErrors: errors about a specification show its place, and not its password.
func TestRedactedErrors(t *testing.T) {
	for _, spec := range []string{"h?pass=SECRET&user=%zz", "h?pass=SECRET%zz", "?pass=SECRET", "h:x?pass=SECRET", "h?user=a%zz&pass=SECRET"} {
		_, err := ParseSpec(spec)
		bad, ok := errors.AsType[*SpecError](err)
		if !ok {
			t.Errorf("%q: %v", spec, err)
			continue
		}
		if text := bad.Error() + bad.Message(); strings.Contains(text, "SECRET") {
			t.Errorf("%q: %s", spec, text)
		}
		if at := strings.Index(bad.Spec, "%zz"); at >= 0 && at != bad.Pos {
			t.Errorf("%q: %s: column %d", spec, bad.Spec, bad.Pos)
		}
	}
}

// TestPublic: the name of a host that anybody may see has nothing of who connects.
func TestPublic(t *testing.T) {
	for text, want := range map[string]string{
		"web1": "web1", "web1:44321,4330@proxy": "web1:44321,4330@proxy", "pcp://web1?container=c": "pcp://web1?container=c",
		"web1?username=u&password=a SECRET&container=c": "web1?container=c", "pcps://web1?user=u&pass=x/y": "pcps://web1",
		"unix://run/socket?userauth&method=PLAIN&realm=r": "unix://run/socket", "web1?passwd=SECRET": "web1", "web1/SECRET": "web1",
	} {
		spec, err := ParseSpec(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := spec.Public(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
