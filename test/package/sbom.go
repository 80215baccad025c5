package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"

	"pmtools/lib/version"
)

// bills writes for each command of the target what it is made of: beside the guides, so that archives and
// packages have it, and into the release.
func (t target) bills() error {
	dir := filepath.Join(t.root, "share/doc/pmtools")
	files, err := filepath.Glob(filepath.Join(t.root, "bin/*"))
	if err != nil {
		return err
	}
	for _, file := range files {
		bom, err := t.bill(file)
		if err != nil {
			return err
		}
		command := strings.TrimSuffix(filepath.Base(file), ".exe")
		for _, name := range []string{
			filepath.Join(dir, command+".cdx.json"),
			filepath.Join(t.out, fmt.Sprintf("%s-%s-%s-%s.cdx.json", command, version.Version, t.system, t.arch)),
		} {
			if err := create(name, func(w io.Writer) error {
				return cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6)
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// bill returns the bill of materials of a command: the modules and the release of Go that its own build
// information names. It depends on nothing but the command's bytes and the time of the commit.
func (t target) bill(file string) (*cdx.BOM, error) {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	name := filepath.Base(file)
	self := cdx.Component{
		BOMRef: name, Type: cdx.ComponentTypeApplication, Name: name, Version: version.Version,
		PackageURL: fmt.Sprintf("pkg:generic/pmtools@%s?file=%s&os=%s&arch=%s", version.Version, name, t.system, t.arch),
		Hashes:     &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}},
		Licenses:   &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}},
	}
	standard := strings.TrimPrefix(info.GoVersion, "go")
	parts := []cdx.Component{{
		BOMRef: "pkg:golang/std@" + standard, Type: cdx.ComponentTypeLibrary, Name: "std", Version: standard,
		PackageURL: "pkg:golang/std@" + standard,
	}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := cdx.Component{Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: "pkg:golang/" + m.Path + "@" + m.Version}
		c.BOMRef = c.PackageURL
		if h, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(h) == sha256.Size {
			c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(h)}} // of the module's files, as in go.sum
		}
		parts = append(parts, c)
	}
	refs := make([]string, len(parts))
	for i := range parts {
		refs[i] = parts[i].BOMRef
	}
	bom := cdx.NewBOM()
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // a UUID of version 8
	bom.SerialNumber = fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
	bom.Metadata = &cdx.Metadata{Timestamp: t.time.Format(time.RFC3339), Component: &self}
	bom.Components, bom.Dependencies = &parts, &[]cdx.Dependency{{Ref: self.BOMRef, Dependencies: &refs}}
	return bom, nil
}
