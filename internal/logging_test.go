package internal_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/internal/logging"
)

func TestLogLinesHaveCloudLoggingFields(t *testing.T) {
	for level, severity := range map[slog.Level]string{
		slog.LevelInfo: "INFO", slog.LevelWarn: "WARNING", slog.LevelError: "ERROR",
	} {
		var out bytes.Buffer
		logging.New(&out, slog.LevelInfo).LogAttrs(t.Context(), level, "hello", slog.String(logging.Document, "posts/p"), slog.Group(logging.Damage, slog.String(slog.MessageKey, "kept")))
		var got map[string]any
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		delete(got, slog.TimeKey)
		want := map[string]any{"severity": severity, "message": "hello", "document": "posts/p", "damage": map[string]any{"msg": "kept"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	var out bytes.Buffer
	logging.New(&out, slog.LevelWarn).Info("hello")
	if out.Len() != 0 {
		t.Errorf("below its level it wrote %s", &out)
	}
}
