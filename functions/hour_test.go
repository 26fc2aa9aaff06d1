package functions_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"example.com/relationindex/chunker"
	"example.com/relationindex/functions"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// hourly is an instance whose accounts may do little in an hour.
type hourly struct {
	*functions.Handlers
	a     *app
	meter *wire.Meter
	log   *testkit.SyncBuffer
	late  bool // events come when their documents have changed since
}

func (a *app) hourly(acts int) hourly {
	a.T.Helper()
	h := hourly{a: a, meter: &wire.Meter{}, log: &testkit.SyncBuffer{}}
	cfg := a.Config
	cfg.Project, cfg.AccountHour, cfg.Logger = a.ID, acts, logging.New(h.log, slog.LevelInfo)
	var err error
	h.Handlers, err = functions.New(testkit.Open(a.T, a.ID, h.meter.Interceptor()), cfg)
	a.OK(err)
	return h
}

// value is a text, some texts, or a truth in an event.
func value(v any) *firestoredata.Value {
	switch v := v.(type) {
	case string:
		return &firestoredata.Value{ValueType: &firestoredata.Value_StringValue{StringValue: v}}
	case bool:
		return &firestoredata.Value{ValueType: &firestoredata.Value_BooleanValue{BooleanValue: v}}
	case []string:
		list := &firestoredata.ArrayValue{}
		for _, text := range v {
			list.Values = append(list.Values, value(text))
		}
		return &firestoredata.Value{ValueType: &firestoredata.Value_ArrayValue{ArrayValue: list}}
	default:
		panic(fmt.Sprintf("a value %v", v))
	}
}

// changes delivers the event of a document that was written, with these fields before and after; nil: there was
// none. It returns what that costs.
func (h hourly) changes(function, path string, before, after map[string]any) wire.Counts {
	h.a.T.Helper()
	written := time.Now() // of a document that is gone, or changed since
	if doc, err := h.a.Client.Doc(path).Get(h.a.T.Context()); err == nil && !h.late {
		written = doc.UpdateTime
	}
	document := func(fields map[string]any) *firestoredata.Document {
		if fields == nil {
			return nil
		}
		d := &firestoredata.Document{
			Name: "projects/" + h.a.ID + "/databases/(default)/documents/" + path, Fields: map[string]*firestoredata.Value{}, UpdateTime: timestamppb.New(written),
		}
		for name, v := range fields {
			d.Fields[name] = value(v)
		}
		return d
	}
	data, err := proto.Marshal(&firestoredata.DocumentEventData{OldValue: document(before), Value: document(after)})
	h.a.OK(err)
	e := testkit.FirestoreEvent(h.a.T.(*testing.T), data)
	used := h.meter.Counts()
	h.a.OK(h.Function(function)(h.a.T.Context(), e))
	return h.meter.Counts().Minus(used)
}

// later returns the jobs that begin later.
func (h hourly) later() (all []chunker.Job) {
	h.a.T.Helper()
	jobs, err := h.a.Instance().Engine.Unfinished(h.a.T.Context(), 100)
	h.a.OK(err)
	for _, job := range jobs {
		if job.Kind == schema.KindLater && job.Later() && job.WakeAt.After(time.Now()) {
			all = append(all, job)
		}
	}
	return all
}

// ran does what waits, and returns what that costs.
func (h hourly) ran() wire.Counts {
	h.a.T.Helper()
	used := h.meter.Counts()
	for _, job := range h.later() {
		h.a.OK(h.RunLater(h.a.T.Context(), job))
	}
	return h.meter.Counts().Minus(used)
}

// An author beyond their hour toggles a post 500 times. Each toggle costs one read, and the last state is delivered once.
// Hiding the post never waits.
func TestToggledPostBeyondHourIsDeliveredOnce(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"items"}})
	for n := range 5 {
		a.FollowSince(fmt.Sprint("r", n), "ada", day.Add(-time.Hour))
		a.OK(a.Instance().Graph.Follow(t.Context(), "ada", fmt.Sprint("r", n)))
	}
	h := a.hourly(6) // 1, and the edits 2 and 3
	fields := func(kind string, hidden bool) map[string]any {
		return map[string]any{"userId": "ada", "audience": "ada", "kind": kind, "hidden": hidden}
	}
	a.Post("p", "ada", day)
	kind := func(k string) {
		t.Helper()
		a.Must(a.Client.Doc("posts/p").Update(t.Context(), []firestore.Update{{Path: "kind", Value: k}}))
	}
	if used := h.changes("OnPostWritten", "posts/p", nil, fields("", false)); used.Writes != 5 {
		t.Errorf("the post costs %v, want 5 entries", used)
	}
	for n, k := range []string{"a", "b"} {
		kind(k)
		if used := h.changes("OnPostWritten", "posts/p", fields("", false), fields(k, false)); used.Writes != 5 {
			t.Errorf("edit %d costs %v, want 5 entries", n, used)
		}
	}
	kind("c")
	if used := h.changes("OnPostWritten", "posts/p", fields("b", false), fields("c", false)); used.Reads != 1 || used.Writes != 1 {
		t.Errorf("the first that waits costs %v, want a job", used)
	}
	for n := range 500 {
		k := fmt.Sprint("c", n)
		if used := h.changes("OnPostWritten", "posts/p", fields("c", false), fields(k, false)); used.Reads != 1 || used.Writes != 0 {
			t.Fatalf("toggle %d costs %v, want a read of the job", n, used)
		}
	}
	kind("last")
	if n := len(h.later()); n != 1 {
		t.Fatalf("%d jobs wait, want 1", n)
	}
	if n := strings.Count(h.log.String(), "more than its hour allows"); n != 1 {
		t.Errorf("%d lines tell of it, want 1", n)
	}
	if used := h.ran(); used.Writes != 5 {
		t.Errorf("the last state costs %v, want 5 entries", used)
	}
	entry, err := a.Client.Doc("users/r1/timeline/p").Get(t.Context())
	if a.OK(err); entry.Data()["kind"] != "last" {
		t.Errorf("the entry is %v, want the last state", entry.Data())
	}

	a.Must(a.Client.Doc("posts/p").Update(t.Context(), []firestore.Update{{Path: "hidden", Value: true}}))
	if used := h.changes("OnPostWritten", "posts/p", fields("last", false), fields("last", true)); used.Deletes != 5 {
		t.Errorf("hiding costs %v, want 5 entries", used)
	}
}

// Follows beyond a follower's hour wait, and unfollows do not: a follow and its end cost only their reads.
func TestFollowsWaitAndUnfollowsDoNot(t *testing.T) {
	t.Parallel()
	const posts = 10
	a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}, Backfill: posts})
	for n := range posts {
		p := fmt.Sprint("p", n)
		a.Post(p, "ada", day.Add(time.Duration(n)*time.Minute))
		a.OK(a.Instance().Deliveries.Post(t.Context(), p))
	}
	h, path, at := a.hourly(1), "users/ada/followers/r", map[string]any{}
	follows := func(does bool) wire.Counts {
		t.Helper()
		if does {
			a.Follow("r", "ada")
			return h.changes("OnFollowerWritten", path, nil, at)
		}
		a.Unfollow("r", "ada")
		return h.changes("OnFollowerWritten", path, at, nil)
	}
	if used := follows(true); used.Writes < 2*posts {
		t.Errorf("a follow costs %v, want a relation and an entry for each post", used)
	}
	if used := follows(false); used.Writes+used.Deletes < 2*posts {
		t.Errorf("an unfollow costs %v, want a relation and an entry for each post", used)
	}
	for range 5 {
		used, ended := follows(true), follows(false)
		if used.Reads != 1 || used.Writes > 1 || ended.Writes+ended.Deletes > 0 || ended.Reads > 8 {
			t.Fatalf("the next follow costs %v, its end %v", used, ended)
		}
	}
	follows(true)
	if used := h.ran(); used.Writes < 2*posts {
		t.Errorf("the follow that stays costs %v", used)
	}
	docs, err := a.Client.Collection("users/r/timeline").Documents(t.Context()).GetAll()
	if a.OK(err); len(docs) != posts {
		t.Errorf("%d entries, want %d", len(docs), posts)
	}
}

// Changes of a reader that show and hide share a budget. Beyond it, the rebuild waits.
func TestShowingBeyondHourWaits(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"items"}, ReaderSettings: true, Backfill: 10})
	h, path := a.hourly(60), "users/r/settings/feed"
	hides := func(does bool) wire.Counts {
		t.Helper()
		list := map[bool]map[string]any{true: {"hide": []string{"ann/*"}}, false: {"hide": []string{}}}
		a.Must(a.Client.Doc(path).Set(t.Context(), list[does]))
		return h.changes("OnSettingsWritten", path, list[!does], list[does])
	}
	for n := range 40 {
		used := hides(n%2 == 0)
		if waits := n > 2; waits != (used.Reads == 1) { // 5 + 30 + 5, and the next 30 are too many
			t.Errorf("change %d costs %v; it waits: %t", n, used, waits)
		}
	}
	if n := len(h.later()); n != 2 {
		t.Errorf("%d jobs wait, want one that hides and one that shows", n)
	}
	h.ran()
}

// Posts that name many people count for more.
func TestPostsWithManyRecipientsUseMoreOfHour(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"items"}})
	h := a.hourly(60)
	var to []string
	for n := range 100 {
		to = append(to, fmt.Sprint("nobody", n))
	}
	var all wire.Counts
	for n := range 20 {
		p := fmt.Sprint("p", n)
		a.PostTo(p, "eve", "", day, to...)
		used := h.changes("OnPostWritten", "posts/"+p, nil, map[string]any{"userId": "eve", "audience": "", "to": to})
		all.Reads, all.Writes = all.Reads+used.Reads, all.Writes+used.Writes
	}
	if jobs := len(h.later()); jobs != 18 || all.Writes != 2*100+18 || all.Reads > 2*(2*100+10)+18 {
		t.Errorf("20 posts that name 100 people each cost %v in an hour, and %d wait", all, jobs)
	}
}

// A removed recipient loses the post at once, even beyond the author's hour.
func TestRemovedRecipientLosesPostAtOnce(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}})
	h := a.hourly(1)
	fields := func(to ...string) map[string]any { return map[string]any{"userId": "ada", "audience": "", "to": to} }
	a.PostTo("p", "ada", "", day, "r1", "r2")
	h.changes("OnPostWritten", "posts/p", nil, fields("r1", "r2"))
	a.WantTimeline("r1", "p")
	a.WantFeed("r1", "p")

	a.PostTo("p", "ada", "", day, "r2")
	h.changes("OnPostWritten", "posts/p", fields("r1", "r2"), fields("r2"))
	a.WantTimeline("r1")
	a.WantFeed("r1")
	a.WantFeed("r2", "p")
	if n := len(h.later()); n > 0 {
		t.Errorf("%d jobs wait", n)
	}
}

// A post shown again beyond the hour's limit waits. A late event of its hiding does not restore it early; the waiting job does.
func TestReshownPostBeyondHourWaits(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"items"}})
	a.FollowSince("r", "ada", day.Add(-time.Hour))
	a.OK(a.Instance().Graph.Follow(t.Context(), "ada", "r"))
	h := a.hourly(1)
	fields := func(hidden bool) map[string]any {
		return map[string]any{"userId": "ada", "audience": "ada", "hidden": hidden}
	}
	hide := func(hidden bool) {
		t.Helper()
		a.Must(a.Client.Doc("posts/p").Update(t.Context(), []firestore.Update{{Path: "hidden", Value: hidden}}))
	}
	a.Post("p", "ada", day)
	h.changes("OnPostWritten", "posts/p", nil, fields(false))
	a.WantTimeline("r", "p")
	hide(true)
	h.changes("OnPostWritten", "posts/p", fields(false), fields(true))
	a.WantTimeline("r")
	hide(false)
	h.changes("OnPostWritten", "posts/p", fields(true), fields(false)) // one more than the hour has
	a.WantTimeline("r")

	h.late = true
	h.changes("OnPostWritten", "posts/p", fields(false), fields(true))
	a.WantTimeline("r")
	if n := len(h.later()); n != 1 {
		t.Errorf("%d jobs wait, want that of the post", n)
	}
	h.late = false
	hide(true)
	h.changes("OnPostWritten", "posts/p", fields(false), fields(true))
	hide(false)
	h.ran()
	a.WantTimeline("r", "p")
}

// Beyond the hour, only the last name is copied, once, also for an event whose duplicate came before.
func TestNameChangesBeyondHourAreCopiedOnce(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, AuthorFields: []string{"name=authorName"}})
	a.Post("p", "ada", day)
	h := a.hourly(actsOfAName)
	name := func(n int) map[string]any { return map[string]any{"name": fmt.Sprint("Ada ", n)} }
	for n := range 10 {
		a.Must(a.Client.Doc("users/ada").Set(t.Context(), name(n), firestore.MergeAll))
		used := h.changes("OnUserWritten", "users/ada", name(n-1), name(n))
		if n > 1 && (used.Reads != 1 || used.Writes > 0) {
			t.Errorf("name %d costs %v", n, used)
		}
	}
	if n := len(h.later()); n != 1 {
		t.Fatalf("%d jobs wait, want 1", n)
	}
	h.ran()
	work(a.looking(), a)
	post, err := a.Client.Doc("posts/p").Get(t.Context())
	if a.OK(err); post.Data()["authorName"] != "Ada 9" {
		t.Errorf("the post says %v", post.Data()["authorName"])
	}
}

// actsOfAName is what a change of a profile counts.
const actsOfAName = 30

// A post to a group counts ten times as much.
func TestGroupPostsUseMoreOfHour(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true})
	h := a.hourly(30)
	for n := range 6 {
		p := fmt.Sprint("p", n)
		a.PostTo(p, "eve", "g_open", day)
		h.changes("OnPostWritten", "posts/"+p, nil, map[string]any{"userId": "eve", "audience": "g_open"})
	}
	if n := len(h.later()); n != 3 {
		t.Errorf("%d of 6 posts wait, want 3", n)
	}
}

// A group's owner who hides and shows a member's post does not use the member's hour.
func TestOwnerTogglingPostSparesAuthorsBudget(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true})
	h := a.hourly(40)
	post := func(hidden bool, more ...string) map[string]any {
		fields := map[string]any{"userId": "bob", "audience": "g_open", "hidden": hidden}
		for _, by := range more {
			fields["hiddenBy"] = by
		}
		return fields
	}
	a.PostTo("p", "bob", "g_open", day)
	for range 5 {
		h.changes("OnPostWritten", "posts/p", post(true, "owner"), post(false))
	}
	waiting := len(h.later())
	a.PostTo("q", "bob", "bob", day)
	h.changes("OnPostWritten", "posts/q", nil, map[string]any{"userId": "bob", "audience": "bob"})
	if waiting != 1 || len(h.later()) != waiting {
		t.Errorf("%d jobs of the shown post, and %d in all after bob's own", waiting, len(h.later()))
	}
}

// A purge deletes the jobs of its account that wait, and none of another account with the same owner.
func TestPurgeDeletesDelayedJobsOfAccount(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true})
	engine := a.Instance().Engine
	for account, p := range map[string]string{"ann": "p1", "other": "p2"} {
		a.OK(engine.Enqueue(t.Context(), chunker.Spec{
			ID: schema.LaterJobID("OnPostWritten", p), Kind: schema.KindLater, Owner: schema.OwnerOf("ann"), Generation: "1",
			Args: map[string]string{schema.ArgFunction: "OnPostWritten", schema.ArgPost: p, schema.ArgAccount: account}, At: time.Now().Add(time.Hour),
		}))
	}
	w := a.Worker(0)
	a.OK(w.Index.Accounts.Purge(t.Context(), "ann", "1", ""))
	work(w, a)
	for p, there := range map[string]bool{"p1": false, "p2": true} {
		job, err := a.Client.Doc("_functions/" + schema.LaterJobID("OnPostWritten", p)).Get(t.Context())
		if job == nil || job.Exists() != there {
			t.Errorf("the job of %s: %v, want there %t", p, err, there)
		}
	}
}

// An edit of a post that waits comes with the post, and not before it.
func TestEditOfDelayedPostIsDelayedWithIt(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, CopiedFields: []string{"text"}})
	a.Follow("r", "ada")
	a.OK(a.Instance().Graph.Follow(t.Context(), "ada", "r"))
	h := a.hourly(10)
	fields := func(text string) map[string]any {
		return map[string]any{"userId": "ada", "audience": "ada", "text": text}
	}
	for n := range 11 {
		p := fmt.Sprint("p", n)
		a.Post(p, "ada", day)
		h.changes("OnPostWritten", "posts/"+p, nil, fields("a"))
	}
	waiting := len(h.later())
	h.changes("OnPostWritten", "posts/p10", fields("a"), fields("b"))
	there := func(p string) bool {
		t.Helper()
		docs, err := a.Client.GetAll(t.Context(), []*firestore.DocumentRef{a.Client.Doc("_relations/" + schema.RelationID(p, "00001"))})
		a.OK(err)
		return docs[0].Exists()
	}
	if waiting != 1 || len(h.later()) != 1 || !there("p9") || there("p10") {
		t.Errorf("%d, then %d jobs wait; relations: %t, %t", waiting, len(h.later()), there("p9"), there("p10"))
	}
}
