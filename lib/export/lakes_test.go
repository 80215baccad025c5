package export

import (
	"os"
	"path/filepath"
	"testing"

	"pmtools/lib/archive/archivetest"
)

// sameRows says how many rows two tables of Arrow have, a and b, and whether they are the same but for columns of the partition.
const sameRows = `
def rows(t):
    names = [n for n in a.column_names if n not in ("host", "date")]
    return sorted(repr(row) for row in t.select(names).to_pylist())
print(a.num_rows > 0, b.num_rows - a.num_rows, rows(a) == rows(b), a.schema.field("u64").type)
`

// TestLakes runs the lines of docs/scale.md that add exported files to tables of Iceberg and of Delta, which print what stands there. The
// tables then have the rows of the files, all types of values among them. An export into the directory goes on afterwards.
func TestLakes(t *testing.T) {
	name := python(t, "PMTOOLS_LAKES", "deltalake, pyarrow, pyiceberg, sqlalchemy")
	for _, tt := range []struct {
		name, files string
		by          Partition
		lines, read string
	}{
		{"Iceberg", "out/values/*.parquet", Partition{NoHost: true, NoDate: true}, "pyiceberg", "table.scan().to_arrow()"},
		{"Delta", "out/values/*/*/*.parquet", Partition{}, "deltalake", "table.to_pyarrow_table()"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lines, want := pythonOf(t, tt.lines)
			for _, archive := range []string{"demo", "alltypes"} {
				dir := t.TempDir()
				if err := os.Mkdir(filepath.Join(dir, "warehouse"), 0o777); err != nil {
					t.Fatal(err)
				}
				by := func(c *Config) { c.Partition = tt.by }
				export := func() {
					t.Helper()
					if err := writeTo(t, filepath.Join(dir, "out"), archivetest.Path(t, archive), by, micros); err != nil {
						t.Error(err)
					}
				}
				export()
				script := lines + `
import glob, pyarrow
a = pyarrow.concat_tables(pyarrow.parquet.ParquetFile(f).read() for f in glob.glob("` + tt.files + `"))
b = ` + tt.read + sameRows
				got := runPython(t, name, dir, "import pyarrow.parquet\n"+script)
				want := want + "True 0 True decimal128(20, 0)\n"
				if archive != "demo" {
					want = "0\n" + "True 0 True decimal128(20, 0)\n"
				}
				if got != want {
					t.Errorf("%s: %swant\n%s", archive, got, want)
				}
				export()
			}
		})
	}
}
