package deploy_test

import (
	"strings"
	"testing"
)

func TestASecondDeploymentChangesNothing(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	first := s.deployed(t, options())
	t.Log("\n" + strings.Join(first, "\n"))
	t.Log("\n" + strings.Join(s.changes(), "\n"))
	second := s.deployed(t, options())
	for _, told := range second {
		if !strings.HasPrefix(told, "unchanged: ") && !strings.HasPrefix(told, "done: ") {
			t.Errorf("the second time %s", told)
		}
	}
	if changes := s.changes(); len(changes) > 0 {
		t.Errorf("the second deployment sends %v", changes)
	}
}
