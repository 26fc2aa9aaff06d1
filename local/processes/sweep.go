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

// sweepTimeout is the longest that a call of Sweep is waited for.
const sweepTimeout = time.Minute

// sweeper calls the function Sweep again and again, as Cloud Scheduler does in
// production.
type sweeper struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// startSweeper posts to url, one call after the other with a pause between
// them. What fails is logged, and made good by the next call.
func startSweeper(url string, pause time.Duration, logger *slog.Logger) *sweeper {
	ctx, cancel := context.WithCancel(context.Background())
	s := &sweeper{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		tick := time.NewTicker(pause)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := sweep(ctx, url); err != nil && ctx.Err() == nil {
				logger.WarnContext(ctx, "sweep failed", logging.Error, err)
			}
		}
	}()
	return s
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

// close ends the calls, also one under way.
func (s *sweeper) close() {
	s.cancel()
	<-s.done
}
