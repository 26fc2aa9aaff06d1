package emulator

import (
	"os"
	"path/filepath"
	"testing"

	"example.com/relationindex/emulator/install"
)

func TestFindInstalled(t *testing.T) {
	const (
		component   = "platform/cloud-firestore-emulator/cloud-firestore-emulator.jar"
		named, home = "FIRESTORE_EMULATOR_BINARY_PATH", "JAVA_HOME"
	)
	type world struct{ dir, bin, home, sdk string }
	gcloud := func(t *testing.T, w world) { place(t, "#!/bin/sh\necho "+w.sdk+"\n", w.bin, "gcloud") }
	firebase := func(t *testing.T, w world, version string) string {
		return place(t, "", w.home, ".cache/firebase/emulators", "cloud-firestore-emulator-v"+version+".jar")
	}
	tests := []struct {
		name string
		// make fills the world and returns the environment and the jar that is to be found, "" for an error.
		make func(t *testing.T, w world) (map[string]string, string)
		errs []string
	}{
		{
			name: "the named jar before all others",
			make: func(t *testing.T, w world) (map[string]string, string) {
				gcloud(t, w)
				place(t, "", w.sdk, component)
				firebase(t, w, "9.9.9")
				jar := place(t, "", w.dir, "named.jar")
				return map[string]string{named: jar}, jar
			},
		},
		{
			name: "the SDK's component before firebase-tools",
			make: func(t *testing.T, w world) (map[string]string, string) {
				gcloud(t, w)
				firebase(t, w, "9.9.9")
				return nil, place(t, "", w.sdk, component)
			},
		},
		{
			name: "the newest of firebase-tools, by number",
			make: func(t *testing.T, w world) (map[string]string, string) {
				gcloud(t, w)
				firebase(t, w, "1.19.9")
				firebase(t, w, "1.9.12")
				return nil, firebase(t, w, "1.19.10")
			},
		},
		{
			name: "firebase-tools without gcloud",
			make: func(t *testing.T, w world) (map[string]string, string) {
				return nil, firebase(t, w, "1.19.8")
			},
		},
		{
			name: "a named jar that is missing, although there is another",
			make: func(t *testing.T, w world) (map[string]string, string) {
				firebase(t, w, "1.19.8")
				return map[string]string{named: filepath.Join(w.dir, "missing.jar")}, ""
			},
			errs: []string{"FIRESTORE_EMULATOR_BINARY_PATH", "missing.jar"},
		},
		{
			name: "a named jar that is a directory",
			make: func(_ *testing.T, w world) (map[string]string, string) {
				return map[string]string{named: w.dir}, ""
			},
			errs: []string{"is not a file"},
		},
		{
			name: "JAVA_HOME without Java, although there is one on PATH",
			make: func(t *testing.T, w world) (map[string]string, string) {
				firebase(t, w, "1.19.8")
				return map[string]string{home: w.home}, ""
			},
			errs: []string{"JAVA_HOME", filepath.Join("bin", "java")},
		},
		{
			name: "nothing anywhere, and how to get it",
			make: func(t *testing.T, w world) (map[string]string, string) {
				gcloud(t, w)
				if err := os.Remove(filepath.Join(w.bin, "java")); err != nil {
					t.Fatal(err)
				}
				return nil, ""
			},
			errs: []string{
				"FIRESTORE_EMULATOR_BINARY_PATH is not set", "gcloud component", component, "firebase-tools: no file", "JAVA_HOME is not set",
				"gcloud components install cloud-firestore-emulator", "google-cloud-cli-firestore-emulator",
				"firebase-tools setup:emulators:firestore", "Java 17", "Java 21",
			},
		},
		{
			name: "a gcloud that fails",
			make: func(t *testing.T, w world) (map[string]string, string) {
				place(t, "#!/bin/sh\nexit 1\n", w.bin, "gcloud")
				return nil, ""
			},
			errs: []string{"gcloud info: exit status 1"},
		},
		{
			name: "a gcloud that says nothing",
			make: func(t *testing.T, w world) (map[string]string, string) {
				place(t, "#!/bin/sh\n", w.bin, "gcloud")
				return nil, ""
			},
			errs: []string{"does not say where"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			w := world{dir: dir, bin: filepath.Join(dir, "bin"), home: filepath.Join(dir, "home"), sdk: filepath.Join(dir, "sdk")}
			java := place(t, "", w.bin, "java")
			t.Setenv("PATH", w.bin)
			t.Setenv("HOME", w.home)
			env, jar := tt.make(t, w)
			t.Setenv(named, env[named])
			t.Setenv(home, env[home])
			got, err := install.Find(t.Context())
			CheckErrors(t, err, tt.errs)
			if err == nil && got != (install.Paths{Java: java, Jar: jar}) {
				t.Errorf("found %+v, want %s and %s", got, java, jar)
			}
		})
	}
	t.Run("the Java of JAVA_HOME before the one on PATH", func(t *testing.T) {
		dir := t.TempDir()
		java := place(t, "", dir, "bin", "java")
		t.Setenv(named, place(t, "", dir, "e.jar"))
		t.Setenv(home, dir)
		got, err := install.Find(t.Context())
		if err != nil || got.Java != java {
			t.Errorf("found %+v, %v, want %s", got, err, java)
		}
	})
}
