package bench

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"example.com/relationindex/emulator"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/local"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
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

// project is an empty database with functions.
func project(b *testing.B, cfg config.Functions, interceptors ...wire.Interceptor) *local.Project {
	b.Helper()
	p, err := machine.Project(b.Context(), fmt.Sprintf("demo-bench-%d", time.Now().UnixNano()), cfg, logging.New(os.Stderr, slog.LevelWarn), interceptors...)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

func idle(b *testing.B, p *local.Project) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), 10*time.Minute)
	defer cancel()
	if err := p.Idle(ctx); err != nil {
		b.Fatal(err)
	}
}
