package pmns_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
	"pmtools/lib/pmns"
)

// TestWrite reads back what it writes.
func TestWrite(t *testing.T) {
	for _, tree := range []*pmns.Tree{new(pmns.Tree), example(t)} {
		var b bytes.Buffer
		if err := tree.Write(&b); err != nil {
			t.Fatal(err)
		}
		back, err := pmns.Parse("written", b.Bytes(), &pmns.Options{DupOK: true})
		if err != nil || listing(back) != listing(tree) {
			t.Errorf("%s\nholds\n%s(%v), want\n%s", b.Bytes(), listing(back), err, listing(tree))
		}
	}
	var odd pmns.Tree
	odd.Add("a..b", pcp.ID(1))
	if err := odd.Write(io.Discard); !errors.Is(err, pmerr.EINVAL) {
		t.Errorf("an empty component: %v", err)
	}
}
