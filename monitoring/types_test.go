// Package monitoring is files for Cloud Logging and Cloud Monitoring: log-based
// metrics, alert policies and a dashboard. It is a module of its own for the tests,
// so that what is deployed does not depend on the types of these APIs.
package monitoring

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"cloud.google.com/go/logging/apiv2/loggingpb"
	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"cloud.google.com/go/monitoring/dashboard/apiv1/dashboardpb"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// An unknown field, an unknown enumeration value, and a number in place of a text are
// all rejected.
func TestFilesParseAsTheirAPITypes(t *testing.T) {
	for pattern, kind := range map[string]func() proto.Message{
		"metrics/*.json": func() proto.Message { return &loggingpb.LogMetric{} },
		"alerts/*.json":  func() proto.Message { return &monitoringpb.AlertPolicy{} },
		"dashboard.json": func() proto.Message { return &dashboardpb.Dashboard{} },
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text = bytes.ReplaceAll(text, []byte("DEPLOYMENT"), []byte("relationindex"))
			if err := protojson.Unmarshal(text, kind()); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}
