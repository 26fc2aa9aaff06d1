//go:build long

package rehearsal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/relationindex/test/rehearsal"
)

const root = "../.."

// BenchmarkBuild is a build with a module cache that is full and a build cache that
// is empty, as in production:
//
//	go test -tags long ./test/rehearsal -run '^$' -bench Build -benchtime 1x
func BenchmarkBuild(b *testing.B) {
	for b.Loop() {
		built, err := rehearsal.Build(b.Context(), rehearsal.Options{Root: root, Dir: b.TempDir(), Cache: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		b.Log(built)
		b.ReportMetric(0, "ns/op")
		b.ReportMetric((built.List + built.Tidy + built.Compile).Seconds(), "s/build")
		b.ReportMetric(built.CPU.Seconds(), "cpu-s/build")
		b.ReportMetric(float64(built.Bytes), "upload-B")
		if info, err := os.Stat(built.Program); err == nil {
			b.ReportMetric(float64(info.Size()), "program-B")
		}
	}
}

// A module that the buildpack cannot build is rejected, with the remedy.
func TestModulesUnbuildableByBuildpack(t *testing.T) {
	t.Parallel()
	const (
		goMod    = "module example.com/app\n\ngo 1.26.0\n\nrequire github.com/GoogleCloudPlatform/functions-framework-go v1.9.2\n"
		function = "package app\n\nimport _ \"github.com/GoogleCloudPlatform/functions-framework-go/functions\"\n"
	)
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"the root does not import the framework": {
			map[string]string{"go.mod": goMod, "go.sum": "", "function.go": "package app\n"},
			"package app must import github.com/GoogleCloudPlatform/functions-framework-go/functions",
		},
		"no code at the root":    {map[string]string{"go.mod": goMod, "go.sum": "", "app/function.go": function}, "no Go files"},
		"two packages":           {map[string]string{"go.mod": goMod, "go.sum": "", "a.go": function, "a_test.go": "package app_test\n"}, "app and app_test"},
		"code that is no code":   {map[string]string{"go.mod": goMod, "go.sum": "", "a.go": "hello"}, "expected 'package'"},
		"a module without a dot": {map[string]string{"go.mod": strings.Replace(goMod, "example.com/", "", 1), "go.sum": "", "a.go": function}, "must have a dot"},
		"no framework in go.mod": {map[string]string{"go.mod": "module example.com/app\n\ngo 1.26.0\n", "go.sum": "", "a.go": function}, "not a known dependency"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, text := range c.files {
				write(t, filepath.Join(dir, file), text)
			}
			_, err := rehearsal.Build(t.Context(), rehearsal.Options{Root: dir, Dir: t.TempDir()})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant an error with %q", err, c.want)
			}
		})
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
