package designs_test

import (
	"log/slog"
	"os"
	"testing"

	"example.com/relationindex/bench/designs"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/runtime/logging"
	"example.com/relationindex/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// names are the designs, in the order of the reports.
var names = []string{"relation-index", "fan-out-on-write", "fan-out-on-read"}

// open is a design on a database of its own.
func open(t testing.TB, name string, cfg config.Functions) designs.Design {
	t.Helper()
	project := testkit.ProjectID(t)
	machine := testkit.Machine(t)
	logger := logging.New(os.Stderr, slog.LevelWarn)
	var d designs.Design
	var err error
	switch name {
	case "relation-index":
		d, err = designs.NewRelationIndex(t.Context(), machine, project, cfg, logger)
	case "fan-out-on-write":
		d, err = designs.NewFanOutOnWrite(t.Context(), machine, project, cfg, logger)
	default:
		d, err = designs.NewFanOutOnRead(t.Context(), project, machine.Emulator.FirestoreHost())
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}
