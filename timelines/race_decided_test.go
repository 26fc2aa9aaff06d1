package timelines_test

import (
	"context"
	"maps"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/ranking"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/timelines"
	"example.com/relationindex/timelines/layout"
)

// Races of what reader r1 decides with what writes to their timeline. The driver is below.

const (
	settings = "users/r1/settings/feed"
	mark     = "users/r1/hidden/p1"
	edge     = "users/r1/following/ada"
	somebody = "_hides/p1" // hides p1
)

// ranked is the layout of what comments lift.
var ranked = layout.Items{Ranked: true}

var (
	photosHidden = put(settings, map[string]any{"hide": []string{"*/photo"}})
	hidePhotos   = all(photosHidden, decided(true, false))
	hideP1       = all(put(mark, map[string]any{}), hide("r1"))
	showP1       = all(gone(mark), hide("r1"))
	unfollow     = all(gone("users/ada/followers/r1"), follow)
	deleteP1     = all(gone("posts/p1"), event("p1"))
	old          = all(come("p0", "event"), write("p1", "photo"))
	shown        = []string{"p1", "p0"}
)

// A fan-out reads the settings with a lock: it sees a hide of the kind, or leaves an entry to take.
func TestRaceFanOutAndHideOfTheKind(t *testing.T) {
	t.Parallel()
	raceAll(t, layouts, race{before: old, held: event("p1"), want: []string{"p0"}}, map[string]race{
		"before it reads the post":     {at: readOf("posts/p1"), ends: hidePhotos},
		"before it reads the settings": {at: readOf(settings), ends: hidePhotos},
		"before it commits":            {at: isTimelineCommit, waits: hidePhotos},
	})
}

// No fan-out reads up to where a reader has read. A client that writes it at each scroll waits for none, and has none
// try again.
func TestRaceFanOutAndReading(t *testing.T) {
	t.Parallel()
	for form, opts := range layouts {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, opts)
			w.options = schema.Config{NoOwnPosts: true, ReaderSettings: true, Idle: 24 * time.Hour}
			w.process = w.open()
			w.joins("r1")
			w.must(all(put(settings, map[string]any{"seenAt": time.Now()}), old)(w, w.process))
			var meter wire.Meter
			g := testkit.NewGate(t, isTimelineCommit)
			p := w.open(meter.Interceptor(), g.Interceptor())
			w.must(w.beside(g, func() error { return event("p1")(w, p) }, func() {
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // a lock would last until they end
				defer cancel()
				for range 200 {
					_, err := w.d.Database().LastRead("r1").Set(ctx, map[string]any{"readAt": time.Now()})
					w.must(err)
				}
			}))
			if n := meter.Counts().Retries; n != 0 {
				t.Errorf("the fan-out has tried again %d times", n)
			}
			w.wantFeed("r1", shown...)
		})
	}
}

// An edit of the kind, and a hide of the new one: the filter does not know the new kind yet.
func TestRaceEditAndHideOfTheKind(t *testing.T) {
	t.Parallel()
	edited := all(come("p0", "event"), come("p1", "event"), kind("p1", "photo"))
	raceAll(t, layouts, race{before: edited, held: event("p1"), want: []string{"p0"}}, map[string]race{
		"before it reads the settings": {at: readOf(settings), ends: hidePhotos},
		"before it commits":            {at: isTimelineCommit, waits: hidePhotos},
	})
}

// A fan-out knows of a hidden post by _hides/{post}, or leaves an entry to mark.
func TestRaceFanOutAndHideOfThePost(t *testing.T) {
	t.Parallel()
	known := all(old, hideP1, showP1) // a fan-out looks whether r1 hides it
	raceAll(t, layouts, race{before: old, held: event("p1"), want: []string{"p1, hidden", "p0"}}, map[string]race{
		"the first hide, before it reads whether there are any": {at: readOf(somebody), ends: hideP1},
		"the first hide, before it commits":                     {at: isTimelineCommit, begins: put(mark, map[string]any{}), waits: hide("r1")},
		"before it reads whether there are any":                 {before: known, at: readOf(somebody), ends: hideP1},
		"before it reads the hide":                              {before: known, at: readOf(mark), ends: hideP1},
		"before it commits":                                     {before: known, at: isTimelineCommit, waits: hideP1},
		"taken back before it reads the hide":                   {before: all(known, hideP1), at: readOf(mark), ends: showP1, want: shown},
		"taken back before it commits":                          {before: all(known, hideP1), at: isTimelineCommit, waits: showP1, want: shown},
	})
}

// A mark, and what takes it back or moves its entry meanwhile.
func TestRaceMark(t *testing.T) {
	t.Parallel()
	hidden := all(old, event("p1"), put(mark, map[string]any{}))
	raceAll(t, layouts, race{before: hidden, held: hide("r1"), want: []string{"p1, hidden", "p0"}}, map[string]race{
		"taken back before it says that somebody hides": {at: commitOf(somebody), ends: showP1, want: shown},
		"taken back before it reads the hide":           {at: readOf(mark), ends: showP1, want: shown},
		"taken back before it commits":                  {at: isTimelineCommit, waits: showP1, want: shown},
		"an edit before it commits":                     {at: isTimelineCommit, ends: all(kind("p1", "video"), event("p1"))},
		"a closing of open before it commits":           {at: isTimelineCommit, ends: all(come("p2", ""), come("p3", "")), want: []string{"p3", "p2", "p1, hidden", "p0"}},
		"a deletion before it commits":                  {at: isTimelineCommit, ends: deleteP1, want: []string{"p0"}},
		"before an edit commits":                        {before: all(hidden, kind("p1", "video")), held: event("p1"), at: isTimelineCommit, ends: hide("r1")},
	})
}

// A fan-out leaves out an idle reader, whose return brings the post; and it may know of the return.
func TestRaceFanOutAndReturn(t *testing.T) {
	t.Parallel()
	idle := all(old, put(settings, map[string]any{"seenAt": time.Now().Add(-48 * time.Hour)}))
	seen := all(put(settings, map[string]any{"seenAt": time.Now()}), decided(false, true))
	raceAll(t, layouts, race{before: idle, held: event("p1"), want: shown}, map[string]race{
		"before it reads the post":           {at: readOf("posts/p1"), ends: all(seen, jobs)},
		"before it reads the settings":       {at: readOf(settings), ends: all(seen, jobs)},
		"before it commits nothing":          {at: commitOfNothing, waits: all(seen, jobs)},
		"before it commits after the return": {before: all(idle, seen), at: isTimelineCommit, ends: jobs},
		"before the rebuild reads the post":  {before: all(idle, seen), held: jobs, at: readOf("posts/p1"), ends: event("p1")},
		"before the rebuild commits":         {before: all(idle, seen), held: jobs, at: isTimelineCommit, ends: event("p1")},
		"before the rebuild commits, and p2": {before: all(idle, seen), held: jobs, at: isTimelineCommit, ends: come("p2", ""), want: []string{"p2", "p1", "p0"}},
	})
}

// A rebuild reads with a lock what decides: the edge, the post, the settings, the hide.
func TestRaceRebuild(t *testing.T) {
	t.Parallel()
	missing := all(old, decided(false, true))
	edit := all(put(settings, map[string]any{"hide": []string{"*/video"}}), missing)
	toVideo := all(kind("p1", "video"), event("p1"))
	raceAll(t, layouts, race{before: missing, held: jobs, want: []string{"p0"}}, map[string]race{
		"an unfollow before it reads the edge":    {at: readOf(edge), ends: unfollow, want: []string{}},
		"an unfollow before it commits":           {at: isTimelineCommit, waits: unfollow, want: []string{}},
		"a deletion before it reads the post":     {at: readOf("posts/p1"), ends: deleteP1},
		"a deletion before it commits":            {at: isTimelineCommit, waits: deleteP1},
		"a new hide before it reads the settings": {at: readOf(settings), ends: hidePhotos},
		"a new hide before it commits":            {at: isTimelineCommit, waits: hidePhotos},
		"an edit before it reads the post":        {before: edit, at: readOf("posts/p1"), ends: toVideo},
		"an edit before it commits":               {before: edit, at: isTimelineCommit, waits: toVideo},
		"a hide of the post before it reads that": {at: readOf(mark), ends: hideP1, want: []string{"p1, hidden", "p0"}},
		"a hide of the post before it commits":    {at: isTimelineCommit, waits: hideP1, want: []string{"p1, hidden", "p0"}},
	})
}

// A filter writes documents as it has read them, on condition that the reader still hides the kind.
func TestRaceFilter(t *testing.T) {
	t.Parallel()
	there := all(old, event("p1"), photosHidden)
	back := all(put(settings, map[string]any{}), decided(false, true), jobs)
	raceAll(t, layouts, race{before: there, held: decided(true, false), want: []string{"p2", "p0"}}, map[string]race{
		"a new entry before it reads the settings":  {at: readOf(settings), ends: come("p2", "")},
		"a new entry before it commits":             {at: isTimelineCommit, ends: come("p2", "")},
		"before a new entry commits":                {before: all(there, write("p2", "")), held: event("p2"), at: isTimelineCommit, ends: decided(true, false)},
		"a closing of open before it commits":       {at: isTimelineCommit, ends: all(come("p2", ""), come("p3", "")), want: []string{"p3", "p2", "p0"}},
		"taken back before it reads the settings":   {at: readOf(settings), ends: back, want: shown},
		"taken back before it commits":              {at: isTimelineCommit, waits: back, want: shown},
		"an edit to another kind before it commits": {at: isTimelineCommit, ends: all(kind("p1", "event"), event("p1")), want: shown},
	})
}

// A lift by a comment stays during concurrent writes, and a removed entry is not
// created again.
func TestRaceLift(t *testing.T) {
	t.Parallel()
	const low, high = int64(4e15), int64(5e15) // in the next century
	there := all(old, event("p1"), come("p2", ""))
	toVideo := kind("p1", "video")
	lifted := []string{"p1", "p2", "p0"}
	raceAll(t, map[string]timelines.Options{"ranked items": {Layout: ranked, Backfill: 100}}, race{before: there, held: lift(low), at: isTimelineCommit, want: lifted}, map[string]race{
		"a deletion before it commits":           {ends: deleteP1, want: []string{"p2", "p0"}},
		"before a deletion commits":              {before: all(there, gone("posts/p1")), held: event("p1"), ends: lift(low), want: []string{"p2", "p0"}},
		"a deletion before a comment commits":    {before: all(there, put("posts/p1/comments/c1", map[string]any{"userId": "ada"})), held: comment, ends: deleteP1, want: []string{"p2", "p0"}},
		"an unfollow before it commits":          {ends: unfollow, want: []string{}},
		"before an unfollow commits":             {before: all(there, gone("users/ada/followers/r1")), held: follow, ends: lift(low), want: []string{}},
		"an edit before it commits":              {ends: all(toVideo, event("p1")), item: map[string]any{"at": low, "kind": "video"}},
		"before an edit commits":                 {before: all(there, toVideo), held: event("p1"), ends: lift(low), item: map[string]any{"at": low, "kind": "video"}},
		"a higher one before it commits":         {ends: lift(high), item: map[string]any{"at": high}},
		"a lower one before it commits":          {held: lift(high), ends: lift(low), item: map[string]any{"at": high}},
		"a hide of the post before it commits":   {ends: hideP1, want: []string{"p1, hidden", "p2", "p0"}, item: map[string]any{"at": low}},
		"before a hide of the post commits":      {before: all(there, put(mark, map[string]any{})), held: hide("r1"), ends: lift(low), want: []string{"p1, hidden", "p2", "p0"}, item: map[string]any{"at": low}},
		"a hide of the kind before it commits":   {ends: hidePhotos, want: []string{"p2", "p0"}},
		"before a hide of the kind commits":      {before: all(there, photosHidden), held: decided(true, false), ends: lift(low), want: []string{"p2", "p0"}},
		"before the twin of a fan-out commits":   {before: all(old, come("p2", "")), held: event("p1"), ends: all(event("p1"), lift(high)), item: map[string]any{"at": high}},
		"before a rebuild commits what has come": {before: all(old, come("p2", ""), decided(false, true)), held: jobs, ends: all(event("p1"), lift(high)), item: map[string]any{"at": high}},
	})
}

// race is a reconciler that is held at the wire, and what is done meanwhile.
type race struct {
	before step           // in a world where r1 follows ada
	held   step           // the reconciler
	at     func(any) bool // the call where it is held
	begins step           // ends while held waits, before waits begins
	ends   step           // ends while held waits
	waits  step           // begins while held waits, and waits for a lock of held
	want   []string       // the feed of r1
	item   map[string]any // fields of the item of p1
}

// or returns x with the fields of base that it has not.
func (x race) or(base race) race {
	if x.before == nil {
		x.before = base.before
	}
	if x.held == nil {
		x.held = base.held
	}
	if x.at == nil {
		x.at = base.at
	}
	if x.want == nil {
		x.want = base.want
	}
	return x
}

// raceAll runs each race in each layout.
func raceAll(t *testing.T, layouts map[string]timelines.Options, base race, races map[string]race) {
	for form, opts := range layouts {
		for name, x := range races {
			x = x.or(base)
			t.Run(form+", "+name, func(t *testing.T) {
				t.Parallel()
				x.run(t, opts)
			})
		}
	}
}

func (x race) run(t *testing.T, opts timelines.Options) {
	w := newWorld(t, opts)
	w.options = schema.Config{NoOwnPosts: true, ReaderSettings: true, Idle: 24 * time.Hour}
	if opts.Layout == ranked {
		w.options.Feeds, w.options.Ranked = []string{schema.LayoutItems}, true
	}
	w.process = w.open()
	w.joins("r1")
	w.must(x.before(w, w.process))
	g := testkit.NewGate(t, x.at)
	p := w.open(g.Interceptor())
	waited := make(chan error, 1)
	w.must(w.beside(g, func() error { return x.held(w, p) }, func() {
		if x.begins != nil {
			w.must(x.begins(w, w.process))
		}
		if x.ends != nil {
			w.must(x.ends(w, w.process))
			waited <- nil
			return
		}
		go func() { waited <- x.waits(w, w.process) }()
		select {
		case err := <-waited:
			t.Errorf("it ended with %v, without a wait for the lock", err)
			waited <- nil
		case <-time.After(time.Second): // the time to end all the same
		}
	}))
	w.must(<-waited)
	w.wantFeed("r1", x.want...)
	if x.item == nil {
		return
	}
	got := w.data("users/r1/timeline/p1")
	maps.DeleteFunc(got, func(field string, _ any) bool { _, wanted := x.item[field]; return !wanted })
	if diff := cmp.Diff(x.item, got); diff != "" {
		t.Errorf("the item of p1 (-want +got):\n%s", diff)
	}
}

// step is what a test does in a process.
type step func(*world, *process) error

// all does steps in order.
func all(steps ...step) step {
	return func(w *world, p *process) error {
		for _, do := range steps {
			if err := do(w, p); err != nil {
				return err
			}
		}
		return nil
	}
}

func put(path string, fields map[string]any) step {
	return func(w *world, p *process) error {
		_, err := p.client.Doc(path).Set(w.t.Context(), fields)
		return err
	}
}

func gone(path string) step {
	return func(w *world, p *process) error {
		_, err := p.client.Doc(path).Delete(w.t.Context())
		return err
	}
}

// write writes a post of a kind by ada.
func write(post, kind string) step {
	return put("posts/"+post, map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "kind": kind, "createdAt": firestore.ServerTimestamp})
}

// kind writes another kind to a post.
func kind(post, kind string) step {
	return func(w *world, p *process) error {
		_, err := p.client.Doc("posts/"+post).Update(w.t.Context(), []firestore.Update{{Path: "kind", Value: kind}})
		return err
	}
}

func event(post string) step {
	return func(w *world, p *process) error { return p.d.Post(w.t.Context(), post) }
}

// come writes a post and handles it.
func come(post, kind string) step { return all(write(post, kind), event(post)) }

// follow is the event of a follow or an unfollow of ada by r1.
func follow(w *world, p *process) error { return p.graph.Follow(w.t.Context(), "ada", "r1") }

// decided is the event of the settings of r1.
func decided(hides, shows bool) step {
	return func(w *world, p *process) error { return p.d.Decided(w.t.Context(), "r1", hides, shows) }
}

// hide is the event of a reader's hide of p1.
func hide(reader string) step {
	return func(w *world, p *process) error { return p.d.Hide(w.t.Context(), reader, "p1") }
}

func jobs(w *world, p *process) error { return w.jobs(w.t.Context(), p) }

// lift lifts p1 for r1.
func lift(at int64) step {
	return func(w *world, p *process) error { return p.d.Lift(w.t.Context(), "p1", at, []string{"r1"}) }
}

// comment is the event of comment c1 on p1.
func comment(w *world, p *process) error {
	return ranking.New(p.graph, p.d).Comment(w.t.Context(), "p1", "c1")
}

// commitOfNothing matches the commit of a transaction that writes nothing.
func commitOfNothing(req any) bool {
	commit, ok := req.(*pb.CommitRequest)
	return ok && len(commit.GetWrites()) == 0
}
