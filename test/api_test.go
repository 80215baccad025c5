package test

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/constant"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pmtools/lib/version"
	"pmtools/test/env"
)

var updateAPI = flag.Bool("update-api", false, "write test/api/VERSION.txt, which later versions are compared with")

// TestAPI: what programs use of lib and derive stays as the last release had it, test/api/VERSION.txt.
// Another declaration, or none any more, needs its old line in test/api/except.txt with the reason,
// or "PACKAGE *" there for all of a package (docs/compatibility.md).
func TestAPI(t *testing.T) {
	t.Parallel()
	now := declarations(t)
	if *updateAPI {
		release, _, _ := strings.Cut(version.Version, "-")
		if err := os.WriteFile(filepath.Join("api", release+".txt"), []byte(strings.Join(now, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	last := lastRelease(t)
	before := lines(t, last)
	excepted := lines(t, "api/except.txt")
	gone := missing(before, now)
	for _, line := range gone {
		if !slices.Contains(excepted, line) && !slices.Contains(excepted, whole(line)) {
			t.Errorf("%s is in %s, and not as it was: keep it, or write the line into test/api/except.txt with the reason", line, last)
		}
	}
	for _, line := range lines(t, "../docs/compatibility.md") {
		if strings.HasPrefix(line, "lib/") && !slices.Contains(now, line) {
			t.Errorf("docs/compatibility.md shows %s, which there is not", line)
		}
	}
	for _, line := range excepted {
		if !slices.ContainsFunc(gone, func(old string) bool { return old == line || whole(old) == line }) {
			t.Errorf("test/api/except.txt: %s excuses nothing", line)
		}
	}
}

// whole returns the line that excepts the package of a declaration: "lib/pcp *" for
// "lib/pcp: type ID uint32".
func whole(line string) string {
	name, _, _ := strings.Cut(line, ":")
	return name + " *"
}

// missing returns the lines of one list that another lacks.
func missing(before, now []string) (list []string) {
	have := make(map[string]bool, len(now))
	for _, line := range now {
		have[line] = true
	}
	return slices.DeleteFunc(slices.Clone(before), func(line string) bool { return have[line] })
}

// lastRelease returns the file of the newest version.
func lastRelease(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("api/[0-9]*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no release in test/api", err)
	}
	return slices.MaxFunc(files, func(a, b string) int { return slices.Compare(numbers(a), numbers(b)) })
}

// numbers returns the numbers of the name of a release's file.
func numbers(file string) (list []int) {
	for part := range strings.SplitSeq(strings.TrimSuffix(filepath.Base(file), ".txt"), ".") {
		n, _ := strconv.Atoi(part)
		list = append(list, n)
	}
	return list
}

// lines returns the lines of a file without comments.
func lines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(strings.Split(strings.TrimSpace(string(text)), "\n"), func(line string) bool { return line == "" || line[0] == '#' })
}

// declarations returns a line for each exported declaration of the packages below lib and derive that
// programs may import, as the compiler knows them on Linux and amd64.
func declarations(t *testing.T) []string {
	t.Helper()
	list := env.Go("list", "-C", "..", "-export", "-deps", "-json=ImportPath,Export,Module", "./lib/...", "./derive/...")
	list.Env = append(list.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	exports, ours := make(map[string]string), make(map[string]string)
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath, Export string
			Module             *struct {
				Path string
				Main bool
			}
		}
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if p.Module != nil && p.Module.Main && !strings.Contains(p.ImportPath+"/", "/internal/") {
			ours[p.ImportPath] = p.Module.Path + "/"
		}
	}
	gc := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	var all []string
	for path, module := range ours {
		p, err := gc.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		a := &api{name: strings.TrimPrefix(path, module), module: module}
		a.scope(p.Scope())
		all = append(all, a.lines...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// An api collects the declarations of a package.
type api struct {
	name, module string
	lines        []string
}

func (a *api) add(format string, args ...any) {
	a.lines = append(a.lines, a.name+": "+fmt.Sprintf(format, args...))
}

// text returns a type, with our packages by their directories, and without its own.
func (a *api) text(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if name := strings.TrimPrefix(p.Path(), a.module); name != a.name {
			return name
		}
		return ""
	})
}

// signature returns the types of a function without the names of its parameters.
func (a *api) signature(s *types.Signature) string {
	unnamed := func(t *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range t.Variables() {
			vars = append(vars, types.NewParam(token.NoPos, nil, "", v.Type()))
		}
		return types.NewTuple(vars...)
	}
	text := a.text(types.NewSignatureType(nil, nil, nil, unnamed(s.Params()), unnamed(s.Results()), s.Variadic()))
	return a.parameters(s.TypeParams()) + strings.TrimPrefix(text, "func")
}

// parameters returns a list of type parameters.
func (a *api) parameters(list *types.TypeParamList) string {
	var text []string
	for p := range list.TypeParams() {
		text = append(text, p.Obj().Name()+" "+a.text(p.Constraint()))
	}
	if len(text) == 0 {
		return ""
	}
	return "[" + strings.Join(text, ", ") + "]"
}

func (a *api) scope(s *types.Scope) {
	for _, name := range s.Names() {
		if !token.IsExported(name) {
			continue
		}
		switch o := s.Lookup(name).(type) {
		case *types.Const:
			if o.Val().Kind() == constant.String { // texts may change
				a.add("const %s %s", name, a.text(o.Type()))
			} else {
				a.add("const %s %s = %s", name, a.text(o.Type()), o.Val().ExactString())
			}
		case *types.Var:
			a.add("var %s %s", name, a.text(o.Type()))
		case *types.Func:
			a.add("func %s%s", name, a.signature(o.Signature()))
		case *types.TypeName:
			a.typeName(o)
		}
	}
}

func (a *api) typeName(o *types.TypeName) {
	named, ok := o.Type().(*types.Named)
	if !ok || o.IsAlias() {
		a.add("type %s = %s", o.Name(), a.text(types.Unalias(o.Type())))
		return
	}
	name := o.Name() + a.parameters(named.TypeParams())
	switch u := named.Underlying().(type) {
	case *types.Interface:
		a.contract(name, u)
		return
	case *types.Struct:
		a.add("type %s struct", name)
		for f := range u.Fields() {
			if f.Exported() {
				a.add("type %s struct, %s %s", name, f.Name(), a.text(f.Type()))
			}
		}
	default:
		a.add("type %s %s", name, a.text(u))
	}
	values := types.NewMethodSet(named)
	for m := range types.NewMethodSet(types.NewPointer(named)).Methods() {
		star := "*"
		if f := m.Obj(); f.Exported() {
			if values.Lookup(f.Pkg(), f.Name()) != nil {
				star = ""
			}
			a.add("method (%s%s) %s%s", star, o.Name(), f.Name(), a.signature(m.Type().(*types.Signature)))
		}
	}
}

// contract adds an interface. One that others can implement is a single line: a further method would
// break them.
func (a *api) contract(name string, u *types.Interface) {
	var methods []string
	closed := false
	for m := range u.Methods() {
		if closed = closed || !m.Exported(); m.Exported() {
			methods = append(methods, m.Name()+a.signature(m.Signature()))
		}
	}
	for e := range u.EmbeddedTypes() {
		if _, union := e.(*types.Union); union {
			methods = append(methods, a.text(e))
		}
	}
	if !closed {
		a.add("type %s interface { %s }", name, strings.Join(methods, "; "))
		return
	}
	a.add("type %s interface, closed", name)
	for _, m := range methods {
		a.add("type %s interface, %s", name, m)
	}
}

// TestMissing: a further declaration is no fault, another one and one that is gone are.
func TestMissing(t *testing.T) {
	before := []string{"lib/x: func F(int)", "lib/x: type T struct", "lib/x: type T struct, A int"}
	for _, tt := range []struct {
		now  []string
		want string
	}{
		{before, ""}, {append(before, "lib/x: func G()"), ""},
		{[]string{"lib/x: func F(int64)", before[1], before[2]}, before[0]}, {before[:2], before[2]}, {nil, strings.Join(before, "|")},
	} {
		if got := strings.Join(missing(before, tt.now), "|"); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.now, got, tt.want)
		}
	}
	if numbers("api/0.10.0.txt")[1] != 10 || slices.Compare(numbers("api/0.10.0.txt"), numbers("api/0.9.1.txt")) <= 0 {
		t.Error("0.10.0 is newer than 0.9.1")
	}
}
