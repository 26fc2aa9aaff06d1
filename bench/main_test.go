package bench

import (
	"context"
	"log/slog"
	"os"
	"testing"
	"time"

	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.MainWithTokens(m) }

// project is an empty database with functions.
func project(b *testing.B, cfg schema.Config, interceptors ...wire.Interceptor) *local.Project {
	b.Helper()
	p, err := testkit.Machine(b).Project(b.Context(), testkit.ProjectID(b), cfg, logging.New(os.Stderr, slog.LevelWarn), interceptors...)
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
