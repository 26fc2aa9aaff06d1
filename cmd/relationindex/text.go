package main

import (
	"fmt"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// english formats numbers with commas: 40,012.
var english = message.NewPrinter(language.English)

// number is either kind of number.
type number interface{ int | int64 | float64 }

// grouped is a number with commas, rounded to a whole one unless it is small.
func grouped[N number](n N) string {
	if f := float64(n); f != float64(int64(f)) && f < 100 {
		return fmt.Sprintf("%.3g", f)
	}
	return english.Sprintf("%.0f", float64(n))
}

// counted is "1 post" or "20,000 posts".
func counted[N number](n N, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return grouped(n) + " " + thing
}

// dollars shows small amounts too.
func dollars(usd float64) string {
	if usd > 0 && usd < 0.01 {
		return "< 0.01"
	}
	return english.Sprintf("%.2f", usd)
}

// bytesOf is a size in units of 1,024.
func bytesOf(n float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	i := 0
	for ; n >= 1024 && i < len(units)-1; i++ {
		n /= 1024
	}
	if i == 0 {
		return fmt.Sprintf("%.0f B", n)
	}
	return fmt.Sprintf("%.3g %s", n, units[i])
}

// about is a duration in its largest unit: 43s, 12m, 5h, 3d.
func about(d time.Duration) string {
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

// relative is a time as somebody says it at now: "12m ago", "in 43s"; "" for none.
func relative(t, now time.Time) string {
	switch d := now.Sub(t); {
	case t.IsZero():
		return ""
	case d < 0:
		return "in " + about(-d)
	default:
		return about(d) + " ago"
	}
}

// moment is a time with how far from now it is; "" for none.
func moment(t *time.Time, now time.Time) string {
	if t == nil || t.IsZero() {
		return ""
	}
	return fmt.Sprintf("%s (%s)", t.UTC().Format(time.RFC3339), relative(*t, now))
}
