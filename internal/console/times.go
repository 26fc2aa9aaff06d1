package console

import (
	"fmt"
	"time"
)

// About returns a duration in its largest unit: 43s, 12m, 5h, 3d.
func About(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
}

// Relative returns a time relative to now: "12m ago", "in 43s"; "" for the zero time.
func Relative(t, now time.Time) string {
	switch d := now.Sub(t); {
	case t.IsZero():
		return ""
	case d < 0:
		return "in " + About(-d)
	default:
		return About(d) + " ago"
	}
}

// Moment returns a time, with its distance from now; "" for nil and for the zero time.
func Moment(t *time.Time, now time.Time) string {
	if t == nil || t.IsZero() {
		return ""
	}
	return fmt.Sprintf("%s (%s)", t.UTC().Format(time.RFC3339), Relative(*t, now))
}

// Hours returns a duration as a person sets it: 720h, 90m.
func Hours(d time.Duration) string {
	switch {
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	default:
		return d.String()
	}
}
