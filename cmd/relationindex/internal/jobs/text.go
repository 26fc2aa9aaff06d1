package jobs

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/console"
)

// share returns the finished part of a job, such as "33%", or "" if the total is unknown.
func share(job chunker.Job) string {
	if job.Total == nil || *job.Total <= 0 {
		return ""
	}
	return fmt.Sprintf("%.0f%%", math.Floor(100*float64(job.Done)/float64(*job.Total)))
}

// shortProgress returns a job's progress for a table: "40/120 33%", or "40".
func shortProgress(job chunker.Job) string {
	if job.Total == nil {
		return fmt.Sprint(job.Done)
	}
	return strings.TrimSpace(fmt.Sprintf("%d/%d %s", job.Done, *job.Total, share(job)))
}

// progressOf returns a job's progress for a sentence: "40 of 120 documents".
func progressOf(job chunker.Job) string {
	if job.Total != nil {
		return console.Grouped(job.Done) + " of " + console.Grouped(*job.Total) + " documents"
	}
	return console.Counted(job.Done, "document")
}

// reason returns on one line why a job makes no progress: its last failure, a wait, or a newer
// schema. It returns "" if there is no reason.
func reason(job chunker.Job) string {
	if job.Newer() {
		return newer(job)
	}
	if job.Waiting() {
		return "waits while the brake is on"
	}
	if job.Later() {
		return "may begin at " + job.WakeAt.UTC().Format(time.RFC3339)
	}
	if job.Error == nil {
		return ""
	}
	line, _, _ := strings.Cut(job.Error.String(), "\n")
	return line
}

// newer returns a note on a job that a newer release wrote, and "" for any other job.
func newer(job chunker.Job) string {
	if !job.Newer() {
		return ""
	}
	return fmt.Sprintf("written by a newer release: its schema is %d; this release supports up to %d", job.Schema, chunker.Schema)
}

// pairs returns the values of a map in the order of their names: "author=a index=00001".
func pairs[V any](values map[string]V) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		words = append(words, fmt.Sprintf("%s=%v", name, values[name]))
	}
	return strings.Join(words, " ")
}

// walk returns the query of a job that walks a query: `posts where userId == "a"`.
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
