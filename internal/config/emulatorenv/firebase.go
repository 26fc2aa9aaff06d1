package emulatorenv

import "os"

// FirebaseTools is the environment of this process for a child that is firebase-tools: it keeps its files in dir, two of
// them do not see each other, and it does not ask the network for news of itself, or leave a process behind that does.
func FirebaseTools(dir string) []string {
	return append(os.Environ(), // the last value of a variable counts
		"CI=1", "NO_COLOR=1", "TMPDIR="+dir, "XDG_CONFIG_HOME="+dir)
}
