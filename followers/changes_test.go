package followers

import (
	"strings"
	"testing"

	"example.com/relationindex/schema"
)

func TestAppendChangeForgetsTheOldest(t *testing.T) {
	big := schema.Change{Version: 2, Add: []string{strings.Repeat("x", 1000)}}
	log := AppendChange([]schema.Change{{Version: 1, Add: []string{"a"}}}, big, 1050)
	if len(log) != 1 || log[0].Version != 2 {
		t.Errorf("log is %v, want the newest change alone", log)
	}
	if log := AppendChange(log, schema.Change{Version: 3, Add: []string{strings.Repeat("x", 2000)}}, 1050); len(log) != 0 {
		t.Errorf("log is %v, want none: the change alone is over the budget", log)
	}
}
