package main

import (
	"fmt"
	"html"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	reference = regexp.MustCompile(`\b(href|src)="([^"]*)"`)
	anchor    = regexp.MustCompile(`\bid="([^"]*)"`)
)

// broken checks each link and each thing that a page loads: within the site there is a file and an
// anchor for it, and nothing is loaded from elsewhere.
func broken(files map[string][]byte) (errs []error) {
	anchors := make(map[string]map[string]bool)
	for name, text := range files {
		if path.Ext(name) == ".html" {
			anchors[name] = map[string]bool{"": true}
			for _, m := range anchor.FindAllSubmatch(text, -1) {
				anchors[name][html.UnescapeString(string(m[1]))] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(anchors)) {
		for _, m := range reference.FindAllSubmatch(files[name], -1) {
			if problem := resolve(files, anchors, name, html.UnescapeString(string(m[2])), string(m[1]) == "href"); problem != "" {
				errs = append(errs, fmt.Errorf("%s: %s: %s", name, m[0], problem))
			}
		}
	}
	return errs
}

// resolve returns what is wrong with a reference of a page, if anything.
func resolve(files map[string][]byte, anchors map[string]map[string]bool, from, to string, link bool) string {
	u, err := url.Parse(to)
	if err != nil {
		return err.Error()
	}
	if u.Scheme != "" || u.Host != "" {
		if !link {
			return "loaded from another site"
		}
		return ""
	}
	name := from
	if u.Path != "" {
		name = path.Join(path.Dir(from), u.Path)
	}
	if files[name] == nil || strings.HasPrefix(u.Path, "/") {
		return "no such file in the site"
	}
	if u.Fragment != "" && !anchors[name][u.Fragment] {
		return "no such section"
	}
	return ""
}
