package functions

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// flushTimeout is less than the ten seconds from Cloud Run's SIGTERM to its SIGKILL.
const flushTimeout = 5 * time.Second

// flushAtEnd sends the metrics that are not sent yet when Cloud Run ends the
// instance, which gets SIGTERM, and a CPU. Then the process ends, as it would have at once
// without this. It is for a goroutine of its own.
func flushAtEnd(h *Handlers) {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM)
	<-told
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	_ = h.Flush(ctx) // logged
	os.Exit(0)       //nolint:gocritic // there is nothing to cancel any more
}
