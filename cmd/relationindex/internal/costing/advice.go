package costing

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"example.com/relationindex/internal/console"
	"example.com/relationindex/prices"
	"example.com/relationindex/prices/estimate"
	"example.com/relationindex/schema"
)

// printAdvice compares the choices, says which one the numbers speak for and why, and what to set.
func printAdvice(out io.Writer, r estimate.Report) error {
	fmt.Fprintf(out, "\nChoices, USD a month; timelines%s\n", beside(r.Inputs))
	err := console.Table(out, "  ", []string{"", "a month", "a post writes", "a follow writes", "a page reads", "a page", "costs more for"}, choicesTable(r))
	lines := append(verdict(r), limits(r)...)
	lines = append(lines, enterprise(r), "What numbers do not say, such as an order, a cap, filters and privacy: docs/choosing.md.")
	fmt.Fprintf(out, "\n%s\n", strings.Join(lines, "\n"))
	return err
}

func choicesTable(r estimate.Report) (rows [][]string) {
	best := r.Choices[0]
	for _, c := range r.Choices {
		more := ""
		if part := c.Dearer(best); c.High > best.High && part.Name != "" {
			more = part.Name + ", " + console.Dollars(part.USD)
		}
		rows = append(rows, []string{
			labelOf(r.Inputs, c), console.Dollars(c.High), amount(c.Post.Writes), amount(c.Follow.Writes), amount(c.Page.Reads), console.Bytes(c.PageBytes), more,
		})
	}
	return rows
}

// labelOf is a choice as a person reads it.
func labelOf(in estimate.Inputs, c estimate.Choice) string {
	switch c.Name {
	case estimate.WayClients, estimate.WayFeed:
		if c.Horizon > 0 {
			return fmt.Sprintf("%s, horizon %s", c.Name, console.Hours(c.Horizon))
		}
	case estimate.WayTimeline, estimate.WayTimelineFeed:
		return strings.Replace(c.Name, "timelines", "timelines of "+layoutsOf(in)[slices.Index(estimate.Layouts, c.Layout)], 1)
	}
	return c.Name
}

// how says in a sentence what to do.
func how(c estimate.Choice) string {
	relations := " without a horizon"
	if c.Horizon > 0 {
		relations = fmt.Sprintf(" with a horizon of %s", console.Hours(c.Horizon))
	}
	switch c.Name {
	case estimate.WayQuery:
		return "let clients query posts (where userId in …), and run nothing"
	case estimate.WayFeed:
		return "read relations through Feed" + relations
	case estimate.WayPull:
		return "read by pull (GET /Feed?source=pull)"
	case estimate.WayTimeline:
		return "let clients read timelines of " + c.Layout
	case estimate.WayTimelineFeed:
		return "read timelines of " + c.Layout + " through Feed"
	}
	return "let clients query relations" + relations
}

// verdict says which choice costs least, what the next one costs more for, and what to set.
func verdict(r estimate.Report) []string {
	best, next := r.Choices[0], r.Choices[1]
	if !r.Decided() {
		return []string{fmt.Sprintf("These numbers do not decide: for one such author, no choice costs 1 USD a month more than the cheapest, %s USD.", console.Dollars(best.High))}
	}
	lines := []string{fmt.Sprintf("By these numbers, %s: %s USD a month.", how(best), console.Dollars(best.High))}
	if part := next.Dearer(best); part.USD > 0 {
		lines = append(lines, fmt.Sprintf("Next is %q, with %s USD more for %s%s.", labelOf(r.Inputs, next), console.Dollars(part.USD), part.Name, figures(part.Name, next, best)))
	}
	return append(lines, settings(r.Inputs, best))
}

// figures are those of a part, of one choice beside another.
func figures(part string, c, other estimate.Choice) string {
	of := func(name string, value func(estimate.Choice) string) string {
		return ": " + name + " " + value(c) + ", not " + value(other)
	}
	switch part {
	case estimate.PartPosts:
		return of("a post takes", func(c estimate.Choice) string { return operation(c.Post) })
	case estimate.PartFollows:
		return of("a follow takes", func(c estimate.Choice) string { return operation(c.Follow) })
	case estimate.PartPages:
		return of("a page takes", func(c estimate.Choice) string { return operation(c.Page) })
	case estimate.PartEgress:
		return of("a page has", func(c estimate.Choice) string { return console.Bytes(c.PageBytes) })
	case estimate.PartStorage:
		return of("it stores", func(c estimate.Choice) string { return console.Bytes(c.Stored) })
	}
	return ""
}

// operation is "5 reads, 2 writes and 1 call", without what it does not do.
func operation(c prices.Counts) string {
	var parts []string
	for _, p := range []struct {
		n    float64
		name string
	}{{c.Reads, "read"}, {c.Writes, "write"}, {c.Deletes, "delete"}, {c.Invocations, "call"}} {
		if p.n > 0 {
			text := amount(p.n) + " " + p.name
			if p.n != 1 {
				text += "s"
			}
			parts = append(parts, text)
		}
	}
	last := len(parts) - 1
	if last < 1 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

// settings are the variables of a choice, as 'relationindex config check' takes them.
func settings(in estimate.Inputs, c estimate.Choice) string {
	if c.Name == estimate.WayQuery {
		return "Set nothing: no function is deployed."
	}
	var set []string
	add := func(wanted bool, name string, value any) {
		if wanted {
			set = append(set, fmt.Sprintf("RELATIONINDEX_%s=%v", name, value))
		}
	}
	horizon := c.Horizon
	if c.Layout != "" && !in.RelationsOff {
		horizon = in.Horizon // of relations beside timelines
	}
	add(in.Capacity != schema.DefaultCapacity, "CAPACITY", in.Capacity)
	add(in.OwnPosts, "OWN_POSTS", true)
	add(horizon > 0, "HORIZON", console.Hours(horizon))
	add(in.PostsFilled, "POSTS_FILLED", true)
	if c.Layout != "" {
		add(true, "TIMELINE", c.Layout)
		add(c.Layout == schema.LayoutBuckets && in.Bucket != schema.DefaultBucket, "BUCKET", in.Bucket)
		kept, backfill := keptIn(in, c.Layout), in.BackfillOf(c.Layout)
		add(kept > 0, "CAP", kept)
		add(backfill > 0, "BACKFILL", backfill)
		add(in.RelationsOff, "RELATIONS_OFF", true)
		add(in.Settings, "SETTINGS", true)
		add(in.Ranked && c.Layout == schema.LayoutItems, "RANKED", true)
	}
	text := "Set nothing: these are the defaults."
	if len(set) > 0 {
		text = "Set " + strings.Join(set, " ") + "."
	}
	if horizon > 0 {
		text += fmt.Sprintf(" Then run 'relationindex horizon %s'.", console.Hours(horizon))
	}
	if c.Name == estimate.WayClients || c.Name == estimate.WayTimeline {
		text += " RELATIONINDEX_COPIED_FIELDS names what clients show of a post."
	}
	return text
}

// limits are those that these numbers reach, of any choice.
func limits(r estimate.Report) (lines []string) {
	in, followers := r.Inputs, float64(r.Inputs.Followers)
	say := func(format string, values ...any) { lines = append(lines, "* "+fmt.Sprintf(format, values...)) }
	for _, c := range r.Choices {
		switch c.Name {
		case estimate.WayClients:
			if c.PageBytes >= heavyPage && in.Capacity > smallCapacity {
				say("Relations by clients: clients load all ids, %s a page. Compare --capacity %d.", console.Bytes(c.PageBytes), smallCapacity)
			}
			if c.Horizon > 0 {
				say("Relations by clients: clients find posts of the last %s.", console.Hours(c.Horizon))
			}
		case estimate.WayFeed:
			if in.InBackground(c.Horizon) {
				say("Relations: each follow is a job, since the author has more than %d posts with relations.", schema.DefaultInlineLimit)
			}
		case estimate.WayPull:
			if n := in.LeftOut(); n > 0 {
				say("Pull: %s of those followed are left out; it reads the first %s.", console.Grouped(n), console.Grouped(prices.MostFollowed))
			}
		}
	}
	if minutes := estimate.RampUp(followers); minutes >= longRamp {
		say("Timelines: a post takes %s minutes if Firestore is new to them: begin with 500 writes a second, and grow by half every five minutes.", strconv.FormatFloat(minutes, 'f', 0, 64))
	}
	if usd := r.SettingsUSD(); usd >= dearSettings && !in.Settings {
		say("Timelines: filters, hiding and idle readers (RELATIONINDEX_SETTINGS) take a read more for each reader of a post: %s USD a month, not in these figures.", console.Dollars(usd))
	}
	if in.FullDays() {
		say("Timelines of days: a reader gets %s posts a day, which are more than a document holds. Some are left out.", console.Grouped(in.Posts*float64(in.Following)))
	}
	if n := float64(in.KeptPosts) * float64(in.Following); in.Cap == 0 && n > longTimeline {
		say("Timelines of items and buckets: without --cap, a reader has %s entries of such authors.", console.Grouped(n))
	}
	return lines
}

const (
	heavyPage     = 1 << 20 // bytes of a page of which to warn
	smallCapacity = 500     // as the README has it for clients that query relations
	longRamp      = 10      // minutes
	dearSettings  = 1       // USD a month
	longTimeline  = 10_000  // entries
)

// enterprise compares the best choice with one pipeline of Enterprise edition.
func enterprise(r estimate.Report) string {
	best := r.Choices[0].High
	pipeline := r.Ways[slices.IndexFunc(r.Ways, func(w estimate.Way) bool { return w.Name == estimate.WayPipeline })]
	switch {
	case pipeline.High < best:
		return "Enterprise's pipeline would cost less, which is not proven."
	case pipeline.Low < best:
		return "Enterprise's pipeline may cost less or more, which is not proven."
	}
	return "Enterprise's pipeline would cost more."
}
