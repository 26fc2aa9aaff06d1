package designs_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"example.com/relationindex/bench/designs"
	"example.com/relationindex/emulator"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/local"
	"example.com/relationindex/internal/logging"
)

var machine *local.Machine

func TestMain(m *testing.M) {
	ctx, cancel := context.WithCancel(context.Background())
	var err error
	machine, err = local.Start(ctx, emulator.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = machine.Emulator.Close()
	cancel()
	os.Exit(code)
}

// names are the designs, in the order of the reports.
var names = []string{"relation-index", "fan-out-on-write", "fan-out-on-read"}

// open is a design on a database of its own.
func open(t testing.TB, name string, cfg config.Functions) designs.Design {
	t.Helper()
	project := fmt.Sprintf("demo-designs-%d", time.Now().UnixNano())
	host := machine.Emulator.FirestoreHost()
	var d designs.Design
	var err error
	switch name {
	case "relation-index":
		d, err = designs.NewRelationIndex(t.Context(), machine, project, cfg, logging.New(os.Stderr, slog.LevelWarn))
	case "fan-out-on-write":
		d, err = designs.NewFanOutOnWrite(t.Context(), project, host)
	default:
		d, err = designs.NewFanOutOnRead(t.Context(), project, host)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}
