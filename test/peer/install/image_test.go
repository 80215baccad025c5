package install

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A descriptor refers to a blob of an OCI layout, and says what is for which platform.
type descriptor struct {
	Digest   string `json:"digest"`
	Size     int    `json:"size"`
	Platform struct {
		OS           string `json:"os"`
		Architecture string `json:"architecture"`
	} `json:"platform"`
}

// tryImage unpacks the layers of the container image as a runtime does, and runs its commands as its user, in a root
// with nothing else.
func tryImage(t *testing.T, dist string) {
	names, err := filepath.Glob(filepath.Join(dist, "*-oci.tar"))
	if err != nil || len(names) != 1 {
		t.Fatalf("images %q, %v", names, err)
	}
	layout, root := t.TempDir(), t.TempDir()
	unpack(t, names[0], layout)
	blob := func(d descriptor) []byte {
		sum := strings.TrimPrefix(d.Digest, "sha256:")
		b := []byte(read(t, layout, filepath.Join("blobs/sha256", sum)))
		if got := fmt.Sprintf("%x", sha256.Sum256(b)); got != sum || len(b) != d.Size {
			t.Errorf("blob %s: digest %s, %d bytes of %d", sum, got, len(b), d.Size)
		}
		return b
	}
	var top, platforms struct{ Manifests []descriptor }
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	var image struct{ Config struct{ User string } }
	for _, step := range []struct {
		b    func() []byte
		into any
	}{
		{func() []byte { return []byte(read(t, layout, "index.json")) }, &top},
		{func() []byte { return blob(top.Manifests[0]) }, &platforms},
		{func() []byte { return blob(platforms.Manifests[0]) }, &manifest},
		{func() []byte { return blob(manifest.Config) }, &image},
	} {
		if err := json.Unmarshal(step.b(), step.into); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range manifest.Layers {
		name := filepath.Join(t.TempDir(), "layer.tar.gz")
		if err := os.WriteFile(name, blob(l), 0o666); err != nil {
			t.Fatal(err)
		}
		unpack(t, name, root)
	}
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ command, want string }{
		{"/usr/bin/pmderive --version", "pmderive version 0."},
		{"/usr/bin/pminfo -L -f simple.numfetch", "simple.numfetch\n    value "},
		{"/usr/bin/pmderive eval -L --output=csv simple.numfetch*0+7", ",7\r\n"},
		{"/usr/bin/pmval -V", "pmval version 7.2.2"},
		{"/usr/bin/pmerr -1", "Operation not permitted"},
		{"/bin/sh", "No such file"},
	} {
		c := exec.Command("chroot", append([]string{"--userspec=" + image.Config.User, root}, strings.Fields(tt.command)...)...)
		c.Env = []string{"PATH=/usr/bin", "HOME=/tmp"}
		b, err := c.CombinedOutput()
		if !strings.Contains(string(b), tt.want) {
			t.Errorf("%s: %v, printed %q, expected %q", tt.command, err, b, tt.want)
		}
	}
}

func unpack(t *testing.T, name, dir string) {
	t.Helper()
	if b, err := exec.Command("tar", "-xf", name, "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("tar: %v\n%s", err, b)
	}
}
