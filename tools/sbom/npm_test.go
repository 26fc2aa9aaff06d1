package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestALockedPackageComesFromTheRegistryWithAHash(t *testing.T) {
	for name, test := range map[string]struct{ entry, want string }{
		"from the registry": {`"version": "1.0.0", "integrity": "sha512-abc="`, ""},
		"a tarball":         {`"version": "1.0.0", "integrity": "sha512-abc=", "resolved": "https://evil.example/a.tgz"`, "https://evil.example/a.tgz"},
		"git":               {`"version": "1.0.0", "resolved": "git+ssh://git@forge.example/a.git#1"`, "git+ssh://"},
		"a folder":          {`"resolved": "../a", "link": true`, "../a"},
		"no hash":           {`"version": "1.0.0"`, "integrity"},
		"a weak hash":       {`"version": "1.0.0", "integrity": "sha1-abc="`, "sha1-abc="},
		"no version":        {`"integrity": "sha512-abc="`, "no version"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "package-lock.json")
			text := fmt.Sprintf(`{"lockfileVersion": 3, "packages": {"": {}, "node_modules/a": {%s}}}`, test.entry)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			switch err := checkLock(file); {
			case test.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "node_modules/a")):
				t.Errorf("error %v; want %q and the package in it", err, test.want)
			}
		})
	}
}
