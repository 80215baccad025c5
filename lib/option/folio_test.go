package option

import (
	"strings"
	"testing"
)

// TestFolio compares with the sources and messages of PCP 7.2.2 for PCP_FOLIO.
func TestFolio(t *testing.T) {
	const head = "PCPFolio\nVersion: 1\n"
	tests := []struct{ name, text, want, err string }{
		{"one", head + "Archive: a b\n", "/d/b", ""},
		{"comments and other lines", head + "# x\nCreated: on\nArchive:\ta\tb\n", "/d/b", ""},
		{"absolute", head + "Archive: a /b/c\nArchive: a d e\n", "/b/c,/d/d", ""},
		{"no newline at the end", head + "Archive: a b", "/d/b", ""},
		{"carriage return", head + "Archive: a b\r\n", "/d/b", ""},
		{"above", head + "Archive: a ../b\n", "/d/../b", ""},
		{"twice", head + "Archive: a b\nArchive: a b\n", "/d/b", ""},
		{"list", head + "Archive: a b,c\n", "/d/b,c", ""},
		{"not archives", head + "archive: a q\n Archive: a q\nArchivex a b\nArchive: a c\n", "/d/c", ""},
		{"longer magic and version", "PCPFoliox\nVersion: 1.5\nArchive: a b\n", "/d/b", ""},
		{"none", head, "", ""},
		{"empty", "", "", "archive folio /d/f has no header"},
		{"magic", "x\n", "", "archive folio /d/f has bad magic"},
		{"blank before the magic", " " + head, "", "archive folio /d/f has bad magic"},
		{"no version", "PCPFolio", "", "archive folio /d/f has no version"},
		{"version", "PCPFolio\nVersion: 2\n", "", "unknown version archive folio /d/f"},
		{"version without a blank", "PCPFolio\nVersion:1\n", "", "unknown version archive folio /d/f"},
		{"no host", head + "Archive:\n", "", "missing host on archive folio line 3"},
		{"no path", head + "\nArchive: a \n", "", "missing path on archive folio line 4"},
		{"no blank before the host", head + "Archive:a q\n", "", "missing path on archive folio line 3"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := world{files: map[string]string{"/d/f": test.text}, vars: map[string]string{"PCP_FOLIO": "/d/f"}}
			got := w.run(t, "pminfo", "m")
			want := ""
			if test.err != "" {
				want = "pminfo: " + test.err + "\n"
			}
			if got.stderr != want {
				t.Errorf("messages %q, want %q", got.stderr, want)
			}
			if test.err == "" && got.options.Archive != test.want {
				t.Errorf("archives %q, want %q", got.options.Archive, test.want)
			}
		})
	}
}

func TestFolioName(t *testing.T) {
	for name, want := range map[string]string{"f": "./b", "./f": "./b", "x/../f": "x/../b", "/f": "/b"} {
		w := world{files: map[string]string{name: "PCPFolio\nVersion: 1\nArchive: a b\n"}, vars: map[string]string{"PCP_FOLIO": name}}
		if got := w.run(t, "pminfo", "m").options.Archive; got != want {
			t.Errorf("folio %s: archive %q, want %q", name, got, want)
		}
	}
	got := world{vars: map[string]string{"PCP_FOLIO": ""}}.run(t, "pminfo", "m")
	if want := "pminfo: cannot open archive folio : No such file or directory\n"; got.stderr != want {
		t.Errorf("no folio: %q, want %q", got.stderr, want)
	}
}

// FuzzFolio: each archive of a folio is named in it.
func FuzzFolio(f *testing.F) {
	f.Add("PCPFolio\nVersion: 1\nArchive: a b\nArchive:\n")
	f.Fuzz(func(t *testing.T, text string) {
		bases, _ := readFolio(strings.NewReader(text), "f")
		for _, base := range bases {
			if base == "" || !strings.Contains(text, base) {
				t.Errorf("%q: base name %q", text, base)
			}
		}
	})
}
