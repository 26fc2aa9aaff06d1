package emulator

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

// installation is what it takes to start an emulator.
type installation struct {
	java string
	jar  string
}

// mainClass is in the jar of the gcloud component and in that of firebase-tools.
const mainClass = "com.google.cloud.datastore.emulator.firestore.CloudFirestore"

// howToGet ends every error of find.
const howToGet = `get the emulator with one of
  gcloud components install cloud-firestore-emulator
  apt-get install google-cloud-cli-firestore-emulator    (Google's package repository for Debian and Ubuntu)
  npx firebase-tools setup:emulators:firestore
or name its jar in FIRESTORE_EMULATOR_BINARY_PATH; it needs Java 17 or newer, the jar of recent firebase-tools Java 21`

// gcloudTimeout is long because gcloud takes a second when the machine is idle.
const gcloudTimeout = 30 * time.Second

// find looks for the jar and for Java. What is named in the environment must be right; the other places are tried in
// turn. The error is ErrNotInstalled with every place that was looked at.
func find(ctx context.Context) (installation, error) {
	jar, jarReasons := findJar(ctx, os.Getenv("FIRESTORE_EMULATOR_BINARY_PATH")) // firebase-tools reads it too
	java, javaReasons := findJava(os.Getenv("JAVA_HOME"))
	if reasons := append(jarReasons, javaReasons...); len(reasons) > 0 {
		return installation{}, fmt.Errorf("%w:\n  %s\n%s", ErrNotInstalled, strings.Join(reasons, "\n  "), howToGet)
	}
	return installation{java: java, jar: jar}, nil
}

// findJar returns the jar, or why each place does not have it.
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

// gcloudJar is the jar of the Google Cloud SDK's component, wherever the SDK on PATH is installed.
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

// firebaseJar is the newest jar that firebase-tools has downloaded. It looks in the same directory on every system.
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

// jarVersion takes "cloud-firestore-emulator-v1.19.8.jar" to [1 19 8]. What is not a number counts as 0.
func jarVersion(path string) []int {
	_, version, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".jar"), "-v")
	var numbers []int
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(part) // 0 is meant
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
