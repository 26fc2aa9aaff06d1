package schema_test

import (
	"strings"
	"testing"

	"example.com/relationindex/schema"
)

func TestNamesOfDeliveries(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{
		"mail": true, "a": true, "p2": true, strings.Repeat("x", 20): true,
		"": false, "2p": false, "Mail": false, "e-mail": false, "é": false, strings.Repeat("x", 21): false,
	} {
		if err := (schema.Config{Deliveries: []schema.Delivery{{Name: name}}}).Validate(); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
	twice := schema.Config{Deliveries: []schema.Delivery{{Name: "mail"}, {Name: "mail", Daily: -1}}}
	if err := twice.Validate(); err == nil || !strings.Contains(err.Error(), "only once") || !strings.Contains(err.Error(), "Daily is -1") {
		t.Errorf("twice: %v", err)
	}
}
