package rulestext

import (
	"bytes"
	"os"
	"testing"
)

func TestPaced(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"firestore.rules", "firestore.feed-only.rules"} {
		rules, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		paced, err := Paced(rules)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		const without, with = "function hasPace() {\n      return false;", "function hasPace() {\n      return true;"
		if want := bytes.Replace(rules, []byte(without), []byte(with), 1); bytes.Equal(rules, want) || !bytes.Equal(paced, want) {
			t.Errorf("%s with a pace does not differ from it in what hasPace returns alone", name)
		}
		if twice, err := Paced(paced); err != nil || !bytes.Equal(twice, paced) {
			t.Errorf("%s with a pace has none, or another: %v", name, err)
		}
	}
	if _, err := Paced([]byte("function isPaced() { return false; }")); err == nil {
		t.Error("rules without hasPace have a pace")
	}
}
