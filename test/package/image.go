package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	"github.com/opencontainers/image-spec/specs-go/v1"

	"pmtools/lib/version"
)

// An image is a container image for several platforms, as a tar file of an OCI layout: what skopeo and podman
// call oci-archive. It holds the commands, the names of two users, and an empty /tmp.
type image struct {
	time  time.Time
	blobs map[string][]byte // by digest
	index []v1.Descriptor   // a manifest for each platform
}

// nobody is who runs the commands in the image.
const nobody = "65534"

// add adds the platform of a target.
func (m *image) add(t target) error {
	layer, err := t.layer()
	if err != nil {
		return err
	}
	packed := new(bytes.Buffer)
	zw := gzip.NewWriter(packed)
	if _, err := zw.Write(layer); err != nil {
		return err
	}
	if err := zw.Close(); err != nil {
		return err
	}
	platform := v1.Platform{OS: t.system, Architecture: t.arch}
	config := v1.Image{
		Created: &t.time, Author: "The pmtools authors", Platform: platform,
		Config: v1.ImageConfig{
			User: nobody + ":" + nobody, Env: []string{"PATH=/usr/bin", "HOME=/tmp"}, Cmd: []string{"/usr/bin/pmderive"}, WorkingDir: "/tmp",
			Labels: map[string]string{
				v1.AnnotationTitle: "pmtools", v1.AnnotationVersion: version.Version, v1.AnnotationLicenses: "Apache-2.0",
				v1.AnnotationDescription: "Performance Co-Pilot's client tools, and a workbench for derived metrics",
			},
		},
		RootFS: v1.RootFS{Type: "layers", DiffIDs: []digest.Digest{digest.FromBytes(layer)}},
	}
	about, err := m.json(v1.MediaTypeImageConfig, config)
	if err != nil {
		return err
	}
	manifest, err := m.json(v1.MediaTypeImageManifest, v1.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: v1.MediaTypeImageManifest,
		Config: about, Layers: []v1.Descriptor{m.blob(v1.MediaTypeImageLayerGzip, packed.Bytes())},
	})
	manifest.Platform = &platform
	m.index = append(m.index, manifest)
	return err
}

// blob adds a blob, and returns what refers to it.
func (m *image) blob(media string, b []byte) v1.Descriptor {
	d := v1.Descriptor{MediaType: media, Digest: digest.FromBytes(b), Size: int64(len(b))}
	m.blobs[d.Digest.Encoded()] = b
	return d
}

func (m *image) json(media string, value any) (v1.Descriptor, error) {
	b, err := json.Marshal(value)
	return m.blob(media, b), err
}

// layer returns the files of the image as a tar file.
func (t target) layer() ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	put := func(name string, kind byte, mode fs.FileMode, content []byte) error {
		h := tar.Header{Typeflag: kind, Name: name, Mode: int64(mode), Size: int64(len(content)), ModTime: t.time, Format: tar.FormatUSTAR}
		err := w.WriteHeader(&h)
		if err == nil {
			_, err = w.Write(content)
		}
		return err
	}
	users := "root:x:0:0:root:/tmp:/\nnobody:x:" + nobody + ":" + nobody + ":nobody:/tmp:/\n"
	groups := "root:x:0:\nnobody:x:" + nobody + ":\n"
	for _, f := range []struct {
		name    string
		kind    byte
		mode    fs.FileMode
		content string
	}{
		{"etc/", tar.TypeDir, 0o755, ""}, {"etc/group", tar.TypeReg, 0o644, groups}, {"etc/passwd", tar.TypeReg, 0o644, users},
		{"tmp/", tar.TypeDir, 0o1777, ""}, {"usr/", tar.TypeDir, 0o755, ""}, {"usr/bin/", tar.TypeDir, 0o755, ""},
	} {
		if err := put(f.name, f.kind, f.mode, []byte(f.content)); err != nil {
			return nil, err
		}
	}
	commands, err := filepath.Glob(filepath.Join(t.root, "bin/*"))
	if err != nil {
		return nil, err
	}
	slices.Sort(commands)
	for _, c := range commands {
		content, err := os.ReadFile(c)
		if err != nil {
			return nil, err
		}
		if err := put("usr/bin/"+filepath.Base(c), tar.TypeReg, 0o755, content); err != nil {
			return nil, err
		}
	}
	err = w.Close()
	return b.Bytes(), err
}

// write writes the layout. Registries take the index of platforms, which index.json names by its version.
func (m *image) write(name string) error {
	all, err := m.json(v1.MediaTypeImageIndex, v1.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: v1.MediaTypeImageIndex, Manifests: m.index})
	if err != nil {
		return err
	}
	all.Annotations = map[string]string{v1.AnnotationRefName: version.Version}
	index, err := json.Marshal(v1.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: v1.MediaTypeImageIndex, Manifests: []v1.Descriptor{all}})
	if err != nil {
		return err
	}
	files := map[string][]byte{v1.ImageLayoutFile: []byte(`{"imageLayoutVersion":"` + v1.ImageLayoutVersion + `"}`), v1.ImageIndexFile: index}
	for sum, b := range m.blobs {
		files[path.Join(v1.ImageBlobsDir, "sha256", sum)] = b
	}
	return create(name, func(w io.Writer) error { return tarOf(w, files, m.time) })
}

// tarOf writes files as a tar file, in the order of their names.
func tarOf(w io.Writer, files map[string][]byte, when time.Time) error {
	tw := tar.NewWriter(w)
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		mode := int64(0o644)
		if bytes.HasPrefix(files[name], []byte("#!")) {
			mode = 0o755
		}
		h := tar.Header{Name: name, Mode: mode, Size: int64(len(files[name])), ModTime: when, Format: tar.FormatUSTAR}
		if err := tw.WriteHeader(&h); err != nil {
			return err
		}
		if _, err := tw.Write(files[name]); err != nil {
			return err
		}
	}
	return tw.Close()
}
