package main

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"pmtools/lib/version"
)

// templates are the recipes of other package managers: a file each, and the folder debian.
//
//go:embed templates
var templates embed.FS

// An archive is the compressed tar file of a platform.
type archive struct{ System, Arch string }

func (a archive) Name() string {
	return "pmtools-" + version.Version + "-" + a.System + "-" + a.Arch + ".tar.gz"
}

// recipes fills the templates with the checksums of what the release has, for files below url. They
// stand in the release, the folder debian as a tar file.
func recipes(out, url string, platforms []string, when time.Time) error {
	sum := func(name string) ([]byte, error) {
		b, err := os.ReadFile(filepath.Join(out, name))
		s := sha256.Sum256(b)
		return s[:], err
	}
	funcs := template.FuncMap{
		"sha256": func(name string) (string, error) { s, err := sum(name); return fmt.Sprintf("%x", s), err },
		"sri": func(name string) (string, error) {
			s, err := sum(name)
			return "sha256-" + base64.StdEncoding.EncodeToString(s), err
		},
		"date":   func(layout string) string { return when.Format(layout) },
		"debian": func(v string) string { return strings.Replace(v, "-", "~", 1) }, // 0.2.0~dev is before 0.2.0
	}
	data := struct {
		Version, Source, URL string
		Archives             []archive
	}{Version: version.Version, Source: sourceName() + ".tar.gz", URL: strings.TrimSuffix(url, "/")}
	for _, p := range platforms {
		if system, arch, _ := strings.Cut(p, "/"); system != "windows" {
			data.Archives = append(data.Archives, archive{system, arch})
		}
	}
	debian := make(map[string][]byte)
	err := fs.WalkDir(templates, "templates", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		t, err := template.New(path.Base(name)).Funcs(funcs).ParseFS(templates, name)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := t.Execute(&b, data); err != nil {
			return err
		}
		name = strings.TrimPrefix(name, "templates/")
		if strings.HasPrefix(name, "debian/") {
			debian[name] = b.Bytes()
			return nil
		}
		return os.WriteFile(filepath.Join(out, name), b.Bytes(), 0o666)
	})
	if err != nil {
		return err
	}
	return create(filepath.Join(out, "debian.tar"), func(w io.Writer) error { return tarOf(w, debian, when) })
}
