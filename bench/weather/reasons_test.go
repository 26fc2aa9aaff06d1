package weather

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"example.com/relationindex/internal/logging"
)

// logs are the files in which functions and deliveries say what went wrong.
var logs = []string{"functions.log", "deliveries.log"}

// mostReasons is the largest number of reasons that are printed for a case.
const mostReasons = 6

// logLine has the fields that are read of a line of either log.
type logLine struct {
	Message, Function, Outcome, Code string
	LagMs, DurationMs                int64
	Trigger                          string // of a delivery that failed
	Status                           int    // likewise
}

// logged returns the sizes of the logs.
func (s *system) logged() map[string]int64 {
	sizes := map[string]int64{}
	for _, name := range logs {
		if info, err := os.Stat(filepath.Join(s.Dir(), name)); err == nil {
			sizes[name] = info.Size()
		}
	}
	return sizes
}

// reasons returns how runs and deliveries ended since then, failures first and then the most frequent, how late they began and
// how long they took, and the longest pause of each subscription.
func (s *system) reasons(since map[string]int64) ([]string, error) {
	counts, lags, took := map[string]int{}, map[string]times{}, map[string]times{}
	for _, name := range logs {
		text, err := os.ReadFile(filepath.Join(s.Dir(), name))
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(text[since[name]:]) {
			if reason, lag, d := reasonOf(line); reason != "" {
				counts[reason]++
				lags[reason], took[reason] = append(lags[reason], lag), append(took[reason], d)
			}
		}
	}
	var reasons []string
	for _, reason := range mostFrequent(counts) {
		slices.Sort(lags[reason])
		slices.Sort(took[reason])
		reasons = append(reasons, fmt.Sprintf("%d × %s, begun after up to %.0f s, in %.2f s, at most %.2f s", counts[reason], reason[1:],
			lags[reason].at(1).Seconds(), took[reason].at(0.5).Seconds(), took[reason].at(1).Seconds()))
	}
	pauses := s.Broker().Pauses("")
	for _, trigger := range slices.Sorted(maps.Keys(pauses)) {
		reasons = append(reasons, fmt.Sprintf("the subscription of %s paused for up to %v", trigger, pauses[trigger].Round(time.Millisecond)))
	}
	return reasons, nil
}

// reasonOf returns what a line of a log counts as, after "0" for a failure and "1" for none; "": nothing.
func reasonOf(text []byte) (reason string, lag, took time.Duration) {
	var line logLine
	if json.Unmarshal(text, &line) != nil {
		return "", 0, 0 // cut off, as its process was
	}
	switch {
	case line.Trigger != "":
		return fmt.Sprintf("0%s: %s, status %d", line.Trigger, line.Message, line.Status), 0, 0
	case line.Message != logging.Run:
		return "", 0, 0
	}
	class := "0"
	if line.Outcome == "done" || line.Outcome == "nothing" {
		class = "1"
	}
	ms := func(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
	return fmt.Sprintf("%s%s: %s %s", class, line.Function, line.Outcome, cmp.Or(line.Code, "OK")), ms(line.LagMs), ms(line.DurationMs)
}

func mostFrequent(counts map[string]int) []string {
	all := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	return all[:min(mostReasons, len(all))]
}
