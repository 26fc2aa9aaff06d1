//go:build long

package golden

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
)

// text returns all documents of a database, one on each line, in the order of their paths. Times are relative: see [times].
func text(t *testing.T, client *firestore.Client, clock times) string {
	t.Helper()
	all := map[string]map[string]any{}
	var see func(collections *firestore.CollectionIterator)
	see = func(collections *firestore.CollectionIterator) {
		list, err := collections.GetAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			refs, err := c.DocumentRefs(t.Context()).GetAll()
			if err != nil {
				t.Fatal(err)
			}
			docs, err := client.GetAll(t.Context(), refs)
			if err != nil {
				t.Fatal(err)
			}
			for _, doc := range docs {
				_, path, _ := strings.Cut(doc.Ref.Path, "/documents/")
				if doc.Exists() {
					all[path] = doc.Data()
				}
				see(doc.Ref.Collections(t.Context()))
			}
		}
	}
	see(client.Collections(t.Context()))
	lines := make([]string, 0, len(all))
	for _, path := range slices.Sorted(maps.Keys(all)) {
		c := clock
		c.posts = strings.Contains(path, "/timeline/") || c.old(all[path][schema.FieldCreatedAt]) || c.old(all[path]["at"])
		if strings.HasPrefix(path, chunker.DefaultCollection+"/") {
			all[path] = stateOfJob(all[path])
		}
		fields, err := json.Marshal(c.relative(all[path]))
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%s %s\n", clock.ofDay(path), fields))
	}
	return strings.Join(lines, "")
}

// stateOfJob returns the fields of a job that a later job of the same name may depend on. How many hops and pages a job had
// depends on how fast the emulator was.
func stateOfJob(job map[string]any) map[string]any {
	state := map[string]any{}
	for _, field := range []string{"kind", "args", "state", "phase", "owner", "error", "expireAt"} {
		state[field] = job[field]
	}
	return state
}

// times are those of a run. The operations have times around epoch, 12 to 36 hours before the run, which are the same
// in each run, relative to it. What the functions take from their clocks is between began and ended.
type times struct {
	epoch, began, ended time.Time
	project             *regexp.Regexp
	posts               bool // a later time is derived from a post's, not from a clock
}

// longest is the length, in bytes or elements, of the longest text or list that a file shows whole.
const longest = 300

// eventID is the id of an event, which the emulator draws.
var eventID = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// relative returns a value with its times relative, also those that are texts, or numbers of microseconds or milliseconds.
// Of a map, it leaves out null, "", 0 and false.
func (c times) relative(value any) any {
	switch v := value.(type) {
	case time.Time:
		if v.IsZero() {
			return nil
		}
		return c.name(v)
	case int64:
		for _, t := range []time.Time{time.UnixMicro(v), time.UnixMilli(v)} {
			if c.near(t) {
				return c.name(t)
			}
		}
		return v
	case string:
		if t, err := time.Parse(time.RFC3339Nano, v); err == nil {
			return c.name(t)
		}
		if n, err := strconv.ParseInt(v, 10, 64); err == nil && len(v) > 12 {
			return c.relative(n)
		}
		if eventID.MatchString(v) {
			return "an event"
		}
		if len(v) > longest {
			return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(v[:20], ""), len(v))
		}
		return c.ofDay(c.project.ReplaceAllString(v, "the project"))
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprint(v)
		}
		return v
	case *firestore.DocumentRef:
		_, path, _ := strings.Cut(v.Path, "/documents/")
		return "-> " + path
	case []any:
		if len(v) > longest {
			v = append(slices.Clone(v[:3]), fmt.Sprintf("… (%d elements)", len(v)))
		}
		all := make([]any, len(v))
		for n, element := range v {
			all[n] = c.relative(element)
		}
		return all
	case map[string]any:
		all := map[string]any{}
		for name, element := range v {
			if element = c.relative(element); name == readers.FieldSeenAt && element != "now" {
				element = "long ago" // relative to the clock of the client
			}
			if element != nil && element != "" && element != int64(0) && element != false {
				all[c.ofDay(name)] = element
			}
		}
		return all
	default:
		return v
	}
}

// end is later than all times of operations, and before the run.
func (c times) end() time.Time { return c.epoch.Add(12 * time.Hour) }

// old reports whether a field has the time of an operation: what a handler derives from it has no clock.
func (c times) old(field any) bool {
	at, ok := field.(time.Time)
	return ok && at.Before(c.end())
}

// near reports whether a time may be of the run, or of its posts.
func (c times) near(t time.Time) bool { return c.epoch.Sub(t).Abs() < 400*24*time.Hour }

// name returns a time as words: relative to the epoch if an operation has it, or to the run, to an hour.
func (c times) name(t time.Time) string {
	if t.Before(c.end()) || c.posts && t.After(c.ended.Add(time.Hour)) {
		return "epoch" + signed(t.Sub(c.epoch))
	}
	if !t.Before(c.began.Add(-time.Minute)) && !t.After(c.ended.Add(time.Minute)) {
		return "now"
	}
	return "now" + signed(t.Sub(c.began).Round(time.Hour))
}

func signed(d time.Duration) string {
	if d < 0 {
		return d.String()
	}
	return "+" + d.String()
}

// ofDay returns a text with the ids of days relative to the day of the epoch.
func (c times) ofDay(text string) string {
	for n := -30; n <= 3; n++ {
		day := c.epoch.AddDate(0, 0, n).Format(time.DateOnly)
		text = strings.ReplaceAll(text, day, fmt.Sprintf("day%+d", n))
	}
	return text
}
