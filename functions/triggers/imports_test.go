package triggers

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The table links no client of Firestore, over all hops. The protocol's values, in firestorepb, are what the
// package indexfile counts.
func TestTheTableLinksNoFirestore(t *testing.T) {
	const module = "example.com/relationindex"
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", module+"/functions/triggers").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	linked := strings.Fields(string(out))
	if !slices.Contains(linked, module+"/schema/names") {
		t.Errorf("it links %d packages, and none of ours", len(linked))
	}
	for _, p := range linked {
		const client = "cloud.google.com/go/firestore"
		if p == client || strings.HasPrefix(p, client+"/") && p != client+"/apiv1/firestorepb" {
			t.Errorf("it links %s", p)
		}
	}
}
