package main

import (
	"encoding/json"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "pmtools/test/env"
)

// A browser is Chromium without a window: the machine's, or that of the root of test/peer.
type browser struct {
	command []string // that starts it
	dir     string   // for files that it reads and writes
	inside  string   // its name for dir
}

func chromium(t *testing.T) *browser {
	t.Helper()
	const shell = "chromium-headless-shell"
	if peer := os.Getenv("PMTOOLS_PEER"); peer != "" {
		if _, err := os.Stat(filepath.Join(peer, "usr/bin", shell)); err == nil && os.Getuid() == 0 {
			dir, err := os.MkdirTemp(filepath.Join(peer, "tmp"), "site")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(dir) })
			return &browser{[]string{"chroot", peer, shell}, dir, "/tmp/" + filepath.Base(dir)}
		}
	}
	for _, name := range []string{shell, "chromium", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			dir := t.TempDir()
			return &browser{[]string{path, "--headless"}, dir, dir}
		}
	}
	t.Skip("no Chromium here: no page is shown by a browser (PMTOOLS_PEER names a root that has it, see test/peer/peer-up)")
	return nil
}

// open shows a page, and returns what the browser prints.
func (b *browser) open(t *testing.T, page string, options ...string) string {
	t.Helper()
	args := append(b.command[1:len(b.command):len(b.command)], "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--allow-file-access-from-files",
		"--user-data-dir="+b.inside+"/profile", "--virtual-time-budget=60000")
	out, err := exec.Command(b.command[0], append(append(args, options...), "file://"+b.inside+"/"+page)...).Output()
	if err != nil {
		t.Fatalf("%s: %v", page, err)
	}
	return string(out)
}

// TestBrowser looks at pages as readers do: files on a wide screen and on a phone, light and dark.
// go test -artifacts keeps the pictures.
func TestBrowser(t *testing.T) {
	b := chromium(t)
	if err := write(filepath.Join(b.dir, "site"), site(t)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, page, size string
		dark             bool
	}{
		{"light", "docs/install.html", "1200,900", false}, {"dark", "docs/scale.html", "1200,900", true}, {"phone", "man/pmderive.1.html", "390,844", false},
		{"phone-dark", "docs/pmapi.html", "390,844", true}, {"package", "pkg/lib/pmapi.html", "1200,900", false},
	} {
		scheme := map[bool]string{false: "1", true: "0"}[tt.dark]
		b.open(t, "site/"+tt.page, "--window-size="+tt.size, "--blink-settings=preferredColorScheme="+scheme, "--screenshot="+b.inside+"/"+tt.name+".png")
		text, err := os.ReadFile(filepath.Join(b.dir, tt.name+".png"))
		if err == nil {
			err = os.WriteFile(filepath.Join(t.ArtifactDir(), tt.name+".png"), text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		paper, ink := shades(picture)
		if size := fmt.Sprintf("%d,%d", picture.Bounds().Dx(), picture.Bounds().Dy()); size != tt.size {
			t.Errorf("%s: %s pixels, want %s", tt.name, size, tt.size)
		}
		if dark := paper < 64; dark != tt.dark || !dark && paper < 192 {
			t.Errorf("%s: the paper has a lightness of %d of 255", tt.name, paper)
		}
		if ink < 0.02 || ink > 0.5 {
			t.Errorf("%s: %.1f %% of the pixels differ from the paper", tt.name, 100*ink)
		}
	}
}

// shades returns the lightness that most pixels have, and the part of the pixels that differ from it
// as text does.
func shades(p image.Image) (paper int, ink float64) {
	var count [256]int
	b := p.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			count[color.GrayModel.Convert(p.At(x, y)).(color.Gray).Y]++
		}
	}
	paper = slices.Index(count[:], slices.Max(count[:]))
	n := 0
	for shade, c := range count {
		if max(shade-paper, paper-shade) > 40 {
			n += c
		}
	}
	return paper, float64(n) / float64(b.Dx()*b.Dy())
}

// harness opens each page as wide as a phone, notes those that are wider, then searches.
const harness = `<!DOCTYPE html><body><script>
"use strict";
const pages = %s, queries = %s, answer = {wide: [], found: [], errors: []};
const frame = document.createElement("iframe");
frame.style = "width: 390px; height: 844px";
const load = url => new Promise(done => { frame.onload = done; frame.src = url; });
const wait = ms => new Promise(done => setTimeout(done, ms));
(async () => {
  await Promise.resolve(document.body.append(frame));
  for (const p of pages) {
    await load("site/" + p);
    const width = frame.contentDocument.documentElement.scrollWidth;
    if (width > 390) answer.wide.push(p + " is " + width);
    if (p !== "index.html" && frame.contentDocument.querySelectorAll("[aria-current]").length > 1) answer.errors.push(p);
  }
  for (const q of queries) {
    await load("site/docs/spec/wire.html");
    const input = frame.contentDocument.getElementById("query"), found = frame.contentDocument.getElementById("found");
    input.focus();
    input.value = q;
    input.dispatchEvent(new Event("input"));
    for (let i = 0; i < 100 && !found.firstChild; i++) await wait(50);
    const links = [...found.querySelectorAll("a")].map(a => a.getAttribute("href"));
    let anchor = "";
    if (links.length) {
      const done = new Promise(d => frame.onload = d);
      found.querySelector("a").click();
      await done;
      const at = frame.contentWindow.location;
      anchor = at.hash === "" || frame.contentDocument.getElementById(decodeURIComponent(at.hash.slice(1))) ? "there" : "missing";
    }
    answer.found.push({links: links, anchor: anchor});
  }
  document.body.textContent = "ANSWER" + JSON.stringify(answer) + "END";
})();
</script>`

// TestReading: no page is wider than a phone, and the search finds sections, from files.
func TestReading(t *testing.T) {
	b := chromium(t)
	files := site(t)
	if err := write(filepath.Join(b.dir, "site"), files); err != nil {
		t.Fatal(err)
	}
	pages := slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(name string) bool { return filepath.Ext(name) != ".html" })
	want := []string{"man/pmderived.5.html#functions", "docs/scale.html#few-files", "pkg/lib/pmapi.html#OpenArchive", ""}
	queries := []string{"functions pmderived", "few files", "func OpenArchive pmapi", "<b>no such words</b>"}
	list, _ := json.Marshal(pages)
	asked, _ := json.Marshal(queries)
	if err := os.WriteFile(filepath.Join(b.dir, "harness.html"), fmt.Appendf(nil, harness, list, strings.ReplaceAll(string(asked), "</", `<\/`)), 0o666); err != nil {
		t.Fatal(err)
	}
	out := b.open(t, "harness.html", "--dump-dom")
	_, out, _ = strings.Cut(out, "ANSWER")
	out, _, _ = strings.Cut(out, "END")
	var answer struct {
		Wide, Errors []string
		Found        []struct {
			Links  []string
			Anchor string
		}
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(out)), &answer); err != nil {
		t.Fatalf("the pages did not answer: %v: %q", err, out)
	}
	if len(answer.Wide)+len(answer.Errors) > 0 {
		t.Errorf("wider than a phone: %q; two current pages: %q", answer.Wide, answer.Errors)
	}
	for i, found := range answer.Found {
		first := ""
		if len(found.Links) > 0 {
			first = strings.TrimLeft(found.Links[0], "./")
		}
		if !strings.HasPrefix(first, want[i]) || want[i] == "" && first != "" || first != "" && found.Anchor != "there" {
			t.Errorf("search for %q: %q, want %s first; its section: %q", queries[i], found.Links[:min(5, len(found.Links))], want[i], found.Anchor)
		}
	}
	if len(answer.Found) != len(queries) {
		t.Errorf("%d answers to %d queries", len(answer.Found), len(queries))
	}
}
