// Package install finds the Firestore emulator and Java on this machine. It installs
// nothing: its error says how to.
package install

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Paths are the files that start an emulator.
type Paths struct {
	Java string // the program
	Jar  string
}

// MainClass is the class to start, in the jars of gcloud and of firebase-tools.
const MainClass = "com.google.cloud.datastore.emulator.firestore.CloudFirestore"

// howToGet ends every error of Find.
const howToGet = `get the emulator with one of
  gcloud components install cloud-firestore-emulator
  apt-get install google-cloud-cli-firestore-emulator    (Google's package repository for Debian and Ubuntu)
  npx firebase-tools setup:emulators:firestore
or name its jar in FIRESTORE_EMULATOR_BINARY_PATH; it needs Java 17 or newer, the jar of recent firebase-tools Java 21`

// gcloudTimeout is long: gcloud takes a second even on an idle machine.
const gcloudTimeout = 30 * time.Second

// Find looks for the jar and for Java. A file that the environment names must exist;
// otherwise Find tries the other places in turn. The error has a line for each place, and
// how to get the emulator.
func Find(ctx context.Context) (Paths, error) {
	jar, jarReasons := findJar(ctx, os.Getenv("FIRESTORE_EMULATOR_BINARY_PATH")) // firebase-tools reads it too
	java, javaReasons := findJava(os.Getenv("JAVA_HOME"))
	if reasons := append(jarReasons, javaReasons...); len(reasons) > 0 {
		return Paths{}, fmt.Errorf("%s\n%s", strings.Join(reasons, "\n  "), howToGet)
	}
	return Paths{Java: java, Jar: jar}, nil
}

// findJar returns the jar, or for each place why it is not there.
func findJar(ctx context.Context, named string) (jar string, reasons []string) {
	if named != "" {
		if err := regularFile(named); err != nil {
			return "", []string{"FIRESTORE_EMULATOR_BINARY_PATH: " + err.Error()}
		}
		return named, nil
	}
	reasons = []string{"FIRESTORE_EMULATOR_BINARY_PATH is not set"}
	for _, look := range []func(context.Context) (string, error){gcloudJar, firebaseJar} {
		jar, err := look(ctx)
		if err == nil {
			return jar, nil
		}
		reasons = append(reasons, err.Error())
	}
	return "", reasons
}

// gcloudJar returns the jar of the component of the Google Cloud SDK on PATH.
func gcloudJar(ctx context.Context) (string, error) {
	gcloud, err := exec.LookPath("gcloud")
	if err != nil {
		return "", fmt.Errorf("gcloud: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, gcloudTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, gcloud, "info", "--format=value(installation.sdk_root)")
	cmd.WaitDelay = time.Second // a child of a killed gcloud may hold the pipe
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("gcloud info: %w", err)
	}
	root := string(bytes.TrimSpace(out))
	if root == "" {
		return "", fmt.Errorf("gcloud info does not say where the SDK is")
	}
	jar := filepath.Join(root, "platform", "cloud-firestore-emulator", "cloud-firestore-emulator.jar")
	if err := regularFile(jar); err != nil {
		return "", fmt.Errorf("gcloud component cloud-firestore-emulator: %w", err)
	}
	return jar, nil
}

// firebaseJar returns the newest jar that firebase-tools has downloaded. Its directory is
// the same on every system.
func firebaseJar(context.Context) (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("firebase-tools: %w", err)
	}
	pattern := filepath.Join(home, ".cache", "firebase", "emulators", "cloud-firestore-emulator-v*.jar")
	jars, err := filepath.Glob(pattern)
	if err != nil || len(jars) == 0 {
		return "", fmt.Errorf("firebase-tools: no file %s", pattern)
	}
	return slices.MaxFunc(jars, func(a, b string) int { return slices.Compare(jarVersion(a), jarVersion(b)) }), nil
}

// jarVersion returns [1 19 8] for "cloud-firestore-emulator-v1.19.8.jar". A part that is
// not a number is 0.
func jarVersion(path string) []int {
	_, version, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".jar"), "-v")
	var numbers []int
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(part) // 0 if not a number
		numbers = append(numbers, n)
	}
	return numbers
}

// findJava returns the java program, or why there is none.
func findJava(home string) (java string, reasons []string) {
	if home != "" {
		java, err := exec.LookPath(filepath.Join(home, "bin", "java"))
		if err != nil {
			return "", []string{"JAVA_HOME: " + err.Error()}
		}
		return java, nil
	}
	java, err := exec.LookPath("java")
	if err != nil {
		return "", []string{"JAVA_HOME is not set; " + err.Error()}
	}
	return java, nil
}

func regularFile(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file", path)
	}
	return nil
}
