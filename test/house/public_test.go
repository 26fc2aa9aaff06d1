package house

import (
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write public.txt, and lower sizes.txt")

// public are the packages that an app builds on: functions, pages and checks. Other packages can be imported too, and
// change as their users here need it.
var public = []string{".", "functions", "social", "feed", "audit/verify", "audit/repair", "testkit/sendtest"}

// The exported names of the public packages are those of public.txt, and each has a comment. After a change that is
// meant: go test ./test/house -run Public -update
func TestPublicNames(t *testing.T) {
	t.Parallel()
	var lines []string
	for _, dir := range public {
		pkg := documented(t, dir)
		if pkg.Doc == "" {
			t.Errorf("package %s has no comment", dir)
		}
		for _, name := range namesOf(t, pkg) {
			lines = append(lines, filepath.ToSlash(filepath.Join("relationindex", dir))+"."+name)
		}
	}
	got := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile("public.txt", []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("public.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("exported names (-public.txt +now):\n%s", diff)
	}
	t.Logf("%d names in %d packages", len(lines), len(public))
}

func documented(t *testing.T, dir string) *doc.Package {
	t.Helper()
	all, err := filepath.Glob(filepath.Join("../..", dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range all {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	pkg, err := doc.NewFromFiles(set, files, module+"/"+dir)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// namesOf returns the exported names of a package, methods included. One without a comment is an error.
func namesOf(t *testing.T, pkg *doc.Package) (names []string) {
	t.Helper()
	add := func(comment string, all ...string) {
		for _, name := range all {
			if last := name[strings.LastIndex(name, ".")+1:]; !ast.IsExported(last) {
				continue
			}
			if comment == "" {
				t.Errorf("%s.%s has no comment", pkg.Name, name)
			}
			names = append(names, name)
		}
	}
	values := func(all []*doc.Value) {
		for _, v := range all {
			for _, spec := range v.Decl.Specs {
				if s, ok := spec.(*ast.ValueSpec); ok {
					for _, name := range s.Names {
						add(v.Doc+s.Doc.Text()+s.Comment.Text(), name.Name)
					}
				}
			}
		}
	}
	functions := func(of string, all []*doc.Func) {
		for _, f := range all {
			add(f.Doc, of+f.Name)
		}
	}
	values(pkg.Consts)
	values(pkg.Vars)
	functions("", pkg.Funcs)
	for _, typ := range pkg.Types {
		comment := typ.Doc
		for _, spec := range typ.Decl.Specs { // of one in a group
			if s, ok := spec.(*ast.TypeSpec); ok && s.Name.Name == typ.Name && comment == "" {
				comment = fmt.Sprint(s.Doc.Text())
			}
		}
		add(comment, typ.Name)
		values(typ.Consts)
		values(typ.Vars)
		functions("", typ.Funcs)
		functions(typ.Name+".", typ.Methods)
	}
	slices.Sort(names)
	return names
}
