package main

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"pmtools/lib/version"
)

// home is where the package pmtools puts its files. PCP's own package owns /usr/bin/pminfo and its
// kind, and both must be installable on one machine: pmtools puts only what PCP does not have on
// everybody's PATH, and the package pmtools-commands, which conflicts with PCP's, the rest.
const home = "/usr/lib/pmtools"

// guides is where packages put what is to be read.
const guides = "/usr/share/doc/pmtools"

// A manifest is nfpm's description of a package; JSON is YAML.
type manifest struct {
	Name        string    `json:"name"`
	Arch        string    `json:"arch"`
	Version     string    `json:"version"`
	Release     string    `json:"release"`
	Section     string    `json:"section"`
	Priority    string    `json:"priority"`
	Maintainer  string    `json:"maintainer"`
	Description string    `json:"description"`
	License     string    `json:"license"`
	Time        time.Time `json:"mtime"`
	Contents    []content `json:"contents"`
	Depends     []string  `json:"depends,omitempty"`
	Conflicts   []string  `json:"conflicts,omitempty"`
}

type content struct {
	Source      string   `json:"src,omitempty"`
	Destination string   `json:"dst"`
	Type        string   `json:"type,omitempty"`
	Packager    string   `json:"packager,omitempty"` // "deb" or "rpm" only
	Info        fileInfo `json:"file_info"`
}

type fileInfo struct {
	Mode  int       `json:"mode,omitempty"`
	Owner string    `json:"owner"`
	Group string    `json:"group"`
	Time  time.Time `json:"mtime"`
}

// linux writes the packages pmtools and pmtools-commands for both package managers.
func (t target) linux() error {
	tools, commands, err := t.manifests()
	if err != nil {
		return err
	}
	for _, m := range []manifest{tools, commands} {
		b, err := json.Marshal(m)
		if err != nil {
			return err
		}
		config := t.root + "." + m.Name + ".json"
		if err := os.WriteFile(config, b, 0o666); err != nil {
			return err
		}
		for _, packager := range []string{"deb", "rpm"} {
			if err := run([]string{"GOFLAGS="}, cmp.Or(os.Getenv("GO"), "go"), "tool", "-C", "test/package", "nfpm", "package", "-f", config, "-p", packager, "-t", t.out); err != nil {
				return err
			}
		}
	}
	return nil
}

// zshFunctions is where make install puts completions of zsh, and where most systems' zsh looks.
const zshFunctions = "share/zsh/site-functions"

// manifests says which file goes where: all of them to home, and a link to each from /usr.
func (t target) manifests() (tools, commands manifest, err error) {
	tools = manifest{
		Name: "pmtools", Arch: t.arch, Version: version.Version, Release: "1", Section: "utils", Priority: "optional",
		Maintainer: "The pmtools authors", License: "Apache-2.0", Time: t.time,
		Description: "Performance Co-Pilot's client tools, and a workbench for derived metrics\n" +
			"The commands are in " + home + "/bin; pmderive is on PATH. The package pmtools-commands\n" +
			"puts pminfo, pmval, pmstore and pmerr on PATH where PCP's own are not installed.",
	}
	commands = tools
	commands.Name = "pmtools-commands"
	commands.Description = "pminfo, pmval, pmstore and pmerr of pmtools on PATH\n" +
		"Links to the commands of the package pmtools, for machines without PCP's own."
	commands.Depends, commands.Conflicts = []string{"pmtools"}, []string{"pcp"}
	err = fs.WalkDir(os.DirFS(t.root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info := fileInfo{Owner: "root", Group: "root", Time: t.time}
		if d.IsDir() { // listed, so that removing the package removes it
			dir := content{Destination: path.Join(home, name), Type: "dir", Info: info}
			switch name {
			case "share/doc":
				return nil
			case "share/doc/pmtools":
				dir.Destination = guides
			}
			tools.Contents = append(tools.Contents, dir)
			return nil
		}
		c := content{Source: filepath.Join(t.root, name), Destination: path.Join(home, name), Info: info}
		c.Info.Mode = 0o644
		if strings.HasPrefix(name, "bin/") {
			c.Info.Mode = 0o755
		} else if guide := strings.HasPrefix(name, "share/doc/"); guide || !strings.HasPrefix(name, "share/") {
			c.Destination = path.Join(guides, path.Base(name))
			tools.Contents = append(tools.Contents, c)
			return nil
		}
		tools.Contents = append(tools.Contents, c)
		link := content{Source: c.Destination, Destination: path.Join("/usr", name), Type: "symlink", Info: info}
		links := []content{link}
		if path.Dir(name) == zshFunctions { // Debian's zsh looks elsewhere
			debian := link
			debian.Destination, debian.Packager = path.Join("/usr/share/zsh/vendor-completions", path.Base(name)), "deb"
			links[0].Packager = "rpm"
			links = append(links, debian)
		}
		if base := path.Base(name); strings.Contains(base, "pmderive") || strings.HasPrefix(base, "pmtools") {
			tools.Contents = append(tools.Contents, links...)
		} else {
			commands.Contents = append(commands.Contents, links...)
		}
		return nil
	})
	return tools, commands, err
}
