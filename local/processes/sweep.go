package processes

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"example.com/relationindex/internal/logging"
)

// sweepTimeout is the longest wait for a call of Sweep.
const sweepTimeout = time.Minute

// startSweeper calls the function Sweep at url again and again, one call after the other, as Cloud
// Scheduler does in production. A failed call is logged, and the next call does its work.
func startSweeper(ctx context.Context, url string, pause time.Duration, logger *slog.Logger) *task {
	return repeat(ctx, pause, func(ctx context.Context) {
		if err := sweep(ctx, url); err != nil && ctx.Err() == nil {
			logger.WarnContext(ctx, "sweep failed", logging.Error, err)
		}
	})
}

func sweep(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, sweepTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the function answered %s", resp.Status)
	}
	return nil
}
