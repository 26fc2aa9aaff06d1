package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
)

// share is how much of a total is done, such as "33%"; "" if nobody knows.
func share(job chunker.Job) string {
	if job.Total == nil || *job.Total <= 0 {
		return ""
	}
	return fmt.Sprintf("%.0f%%", math.Floor(100*float64(job.Done)/float64(*job.Total)))
}

// shortProgress is a job's progress in a table: "40/120 33%", or "40".
func shortProgress(job chunker.Job) string {
	if job.Total == nil {
		return fmt.Sprint(job.Done)
	}
	return strings.TrimSpace(fmt.Sprintf("%d/%d %s", job.Done, *job.Total, share(job)))
}

// progressOf is a job's progress in a sentence: "40 of 120 documents".
func progressOf(job chunker.Job) string {
	switch {
	case job.Total != nil:
		return fmt.Sprintf("%d of %d documents", job.Done, *job.Total)
	case job.Done == 1:
		return "1 document"
	default:
		return fmt.Sprintf("%d documents", job.Done)
	}
}

// reason is why a job has not got on, on one line: its last failure, or that it
// is not for this release; "" if there is none.
func reason(job chunker.Job) string {
	if job.Newer() {
		return newer(job)
	}
	if job.Error == nil {
		return ""
	}
	line, _, _ := strings.Cut(job.Error.String(), "\n")
	return line
}

// newer is what there is to say of a job that a newer release wrote; "" of any other.
func newer(job chunker.Job) string {
	if !job.Newer() {
		return ""
	}
	return fmt.Sprintf("written by a newer release: its schema is %d, this one knows up to %d", job.Schema, chunker.Schema)
}

// pairs are the values of a map by their sorted names: "author=a index=00001".
func pairs[V any](values map[string]V) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		words = append(words, fmt.Sprintf("%s=%v", name, values[name]))
	}
	return strings.Join(words, " ")
}

// walk is the query of a job that walks one: `posts where userId == "a"`.
func walk(job chunker.Job) string {
	if job.Field == "" {
		return job.Collection
	}
	value := fmt.Sprint(job.Value)
	switch v := job.Value.(type) {
	case string:
		value = fmt.Sprintf("%q", v)
	case *firestore.DocumentRef:
		value = v.Path
	}
	return fmt.Sprintf("%s where %s == %s", job.Collection, job.Field, value)
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
