package testkit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
)

// SetRules sets the security rules for the clients of a project, on the emulator at host. They replace
// the project's earlier rules.
func SetRules(tb testing.TB, host, project string, rules []byte) {
	tb.Helper()
	body, err := json.Marshal(map[string]any{"rules": map[string]any{"files": []map[string]string{{"content": string(rules)}}}})
	if err != nil {
		tb.Fatal(err)
	}
	url := fmt.Sprintf("http://%s/emulator/v1/projects/%s:securityRules", host, project)
	request, err := http.NewRequestWithContext(tb.Context(), http.MethodPut, url, bytes.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		tb.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		tb.Fatalf("rules: %s", answer.Status)
	}
}
