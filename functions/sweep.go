package functions

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
)

const sweepReserve = 10 * time.Second // for the answer

// Sweep wakes jobs whose event was lost or whose step died. Cloud Scheduler calls it every
// minute, by POST without a body. It returns its counts as JSON:
// {"due","woken","failed","newer"}.
//
// Repeated and concurrent calls wake a job once. Without calls, jobs whose events arrive still run. A job waits for the
// next call if its step died, if its event was lost, or if its retry time is later than the end of a step. A job that
// waits for the end of the brake also waits for a call.
func (h *Handlers) Sweep(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "use POST to call Sweep", http.StatusMethodNotAllowed)
		return
	}
	ctx, run := h.runs.begin(wire.WithReason(r.Context(), triggers.Sweep), triggers.Sweep)
	err, ended := errPanicked, failed
	var swept chunker.Swept
	defer func() {
		run.end(ctx, ended, err, slog.Int(logging.Due, swept.Due), slog.Int(logging.Woken, swept.Woken),
			slog.Int(logging.Failed, swept.Failed), slog.Int(logging.Newer, swept.Newer))
	}()
	swept, err = h.engine.Sweep(ctx, chunker.NewBudget(ctx, run.started, triggers.SweepTimeout, sweepReserve, nil))
	if err != nil {
		http.Error(w, "not finished; the log has the reason", http.StatusInternalServerError)
		return
	}
	if h.index.DB.Braked() {
		h.runs.logger.WarnContext(ctx, "the brake is on: what brings posts waits", logging.Function, triggers.Sweep)
	}
	ended = outcomeOf(nil, run.meter.Counts())
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(swept) // the caller may have gone
}
