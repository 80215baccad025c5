package archive_test

import (
	"fmt"
	"os"
	"path/filepath"

	"pmtools/lib/archive"
	"pmtools/lib/archive/archivetest"
	"pmtools/lib/pcp"
)

func ExampleCreate() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	w, err := archive.Create(filepath.Join(dir, "room"), &archive.WriterOptions{Host: "attic"})
	if err != nil {
		fmt.Println(err)
		return
	}
	desc := pcp.Desc{
		ID: pcp.NewID(245, 0, 1), Type: pcp.Double, InDom: pcp.NullInDom, Sem: pcp.Instant,
		Units: pcp.Units{Extra: pcp.Temperature, ExtraScale: 1},
	}
	if err := w.AddMetric(desc, "room.temperature"); err != nil {
		fmt.Println(err)
	}
	for i := range 3 {
		rec := pcp.Result{
			Time: pcp.Timestamp{Sec: 1700000000 + int64(60*i)},
			Sets: []pcp.Values{{
				ID: desc.ID, Type: desc.Type, Insts: []int32{pcp.NullInst},
				Words: []uint64{pcp.DoubleValue(20.5 + float64(i)).Word()},
			}},
		}
		if err := w.Put(&rec); err != nil {
			fmt.Println(err)
		}
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
	}
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		info, _ := f.Info()
		fmt.Println(f.Name(), info.Size())
	}
	// Output:
	// room.0 976
	// room.index 872
	// room.meta 864
}

func ExampleSet_LookupInstAll() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := archivetest.Build(dir, "indoms"); err != nil {
		fmt.Println(err)
		return
	}
	s, err := archive.Open(bg, filepath.Join(dir, "indoms"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	// The part of a name before its first blank is enough.
	inst, err := s.LookupInstAll(pcp.NewInDom(245, 1), "three")
	fmt.Println(inst, err)
	// Output: 30 <nil>
}
