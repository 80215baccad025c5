package pmda

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
	"pmtools/lib/safefile"
)

// Load adds the instances that were saved in a file, all of them inactive. The
// Cache must be empty. The error is one of reading, or wraps pmerr.Generic if the file is damaged;
// then the Cache stays empty.
func (c *Cache) Load(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	next, err := parseCache(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	*c = *next
	return nil
}

func parseCache(text string) (*Cache, error) {
	head, text, _ := strings.Cut(text, "\n")
	c := &Cache{entries: map[string]*cacheEntry{}}
	if err := c.parseHead(strings.Fields(head)); err != nil {
		return nil, err
	}
	for n := 2; text != ""; n++ {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		e, err := parseEntry(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if c.entries[word(e.Name)] != nil {
			return nil, fmt.Errorf("line %d: %w: instance %q is there already", n, pmerr.Generic, e.Name)
		}
		c.entries[word(e.Name)] = e
		c.sorted = append(c.sorted, e)
	}
	slices.SortFunc(c.sorted, func(a, b *cacheEntry) int { return cmp.Compare(a.ID, b.ID) })
	for i := 1; i < len(c.sorted); i++ {
		if c.sorted[i].ID == c.sorted[i-1].ID {
			return nil, fmt.Errorf("%w: two instances %d", pmerr.Generic, c.sorted[i].ID)
		}
	}
	return c, nil
}

// parseHead reads the first line: version, mode, and from version 2 on the largest number, which is not
// heeded: our caches have no bounds.
func (c *Cache) parseHead(f []string) error {
	bad := fmt.Errorf("line 1: %w: %q is not the head of an instance cache", pmerr.Generic, strings.Join(f, " "))
	if len(f) < 2 || f[0] != "1" && f[0] != "2" || f[1] != "0" && f[1] != "1" || f[0] == "2" && len(f) != 3 {
		return bad
	}
	c.reuse = f[1] == "1"
	if f[0] == "2" {
		if n, err := strconv.ParseInt(f[2], 10, 32); err != nil || n < 0 {
			return bad
		}
	}
	return nil
}

// parseEntry reads a line: number, time, name. Before the name C's agents may have written the key of
// the number, in brackets, which is left out.
func parseEntry(line string) (*cacheEntry, error) {
	bad := fmt.Errorf("%w: %q is not an instance", pmerr.Generic, line)
	id, rest, _ := strings.Cut(line, " ")
	stamp, name, _ := strings.Cut(rest, " ")
	n, err := strconv.ParseInt(id, 10, 32)
	if err != nil || n < 0 {
		return nil, bad
	}
	at, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return nil, bad
	}
	e := &cacheEntry{Instance: pcp.Instance{ID: int32(n), Name: name}, stamp: at}
	// A name may begin with a bracket itself: then the text in brackets is not a key.
	if key, rest, ok := strings.Cut(strings.TrimPrefix(name, "["), "] "); ok && name[0] == '[' {
		if _, err := hex.DecodeString(key); err == nil {
			e.Name = rest
		}
	}
	if e.Name == "" {
		return nil, bad
	}
	return e, nil
}

// Save writes the instances to a file, if there are others than when it was loaded or saved. The
// file appears as a whole or not at all.
func (c *Cache) Save(file string) error {
	if !c.changed {
		return nil
	}
	if err := safefile.Keep(file, c.encode(time.Now().Unix()), 0o644); err != nil {
		return err
	}
	c.changed = false
	return nil
}

func (c *Cache) encode(now int64) []byte {
	var b bytes.Buffer
	mode := 0
	if c.reuse {
		mode = 1
	}
	fmt.Fprintf(&b, "2 %d %d\n", mode, math.MaxInt32)
	for _, e := range c.sorted {
		if strings.Contains(e.Name, "\n") {
			continue // it would not be read as one line
		}
		if e.active {
			e.stamp = now
		}
		fmt.Fprintf(&b, "%d %d %s\n", e.ID, e.stamp, e.Name)
	}
	return b.Bytes()
}
