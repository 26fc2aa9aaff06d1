package console

import (
	"testing"
	"time"
)

func TestRelativeTimes(t *testing.T) {
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		0: "0s ago", 59 * time.Second: "59s ago", time.Minute: "1m ago", 119 * time.Minute: "1h ago", 47 * time.Hour: "47h ago", 48 * time.Hour: "2d ago",
		-10 * time.Second: "in 10s", -time.Hour: "in 1h",
	} {
		if got := Relative(noon.Add(-d), noon); got != want {
			t.Errorf("what was %v ago is %q, want %q", d, got, want)
		}
	}
	if got := Relative(time.Time{}, noon); got != "" {
		t.Errorf("no time is %q", got)
	}
}
