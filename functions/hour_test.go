package functions_test

import (
	"cmp"
	"crypto/rand"
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
	late  bool   // events come when their documents have changed since
	event string // of all that come; "": each has an id of its own
}

func (a *app) hourly(acts int, interceptors ...wire.Interceptor) hourly {
	a.T.Helper()
	h := hourly{a: a, meter: &wire.Meter{}, log: &testkit.SyncBuffer{}}
	cfg := a.Config
	cfg.Project, cfg.AccountHour, cfg.Logger = a.ID, acts, logging.New(h.log, slog.LevelInfo)
	var err error
	h.Handlers, err = functions.New(testkit.Open(a.T, a.ID, append(interceptors, h.meter.Interceptor())...), cfg)
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
	used := h.meter.Counts()
	h.a.OK(h.tries(function, path, before, after))
	return h.meter.Counts().Minus(used)
}

// tries is changes, and returns the error of the function.
func (h hourly) tries(function, path string, before, after map[string]any) error {
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
	e.SetID(cmp.Or(h.event, rand.Text()))
	return h.Function(function)(h.a.T.Context(), e)
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

// An author beyond their hour toggles a post 50 times. Each toggle costs one read, and the last state is delivered once.
// Hiding the post never waits.
func TestToggledPostBeyondHourIsDeliveredOnce(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"items"}})
	for n := range 5 {
		a.friends(fmt.Sprint("r", n))
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
	for n := range 50 {
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
	if used := h.changes("OnFollowerWritten", path, at, nil); used.Reads > 1 || used.Writes > 0 || a.Count("users/r/timeline") > 0 {
		t.Errorf("a late end of an earlier follow costs %v", used)
	}
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
		to = append(to, fmt.Sprint("fan", n))
		testkit.Profiles(t, a.Client, to[n])
		a.Follow(to[n], "eve")
	}
	var all wire.Counts
	for n := range 20 {
		p := fmt.Sprint("p", n)
		a.PostTo(p, "eve", "", day, to...)
		used := h.changes("OnPostWritten", "posts/"+p, nil, map[string]any{"userId": "eve", "audience": "", "to": to})
		all.Reads, all.Writes = all.Reads+used.Reads, all.Writes+used.Writes
	}
	if jobs := len(h.later()); jobs != 18 || all.Writes != 2*100+18 || all.Reads > 2*(3*100+10)+18+20*100 {
		t.Errorf("20 posts that name 100 people each cost %v in an hour, and %d wait", all, jobs)
	}
}

// A removed recipient loses the post at once, even beyond the author's hour.
func TestRemovedRecipientLosesPostAtOnce(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}})
	h := a.hourly(1)
	fields := func(to ...string) map[string]any { return map[string]any{"userId": "ada", "audience": "", "to": to} }
	a.Follow("r1", "ada")
	a.Follow("r2", "ada")
	testkit.Profiles(t, a.Client, "r1", "r2")
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
	a.friends("r")
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
	for _, job := range h.later() { // an operator does not wait
		begun, err := a.looking().Retry(t.Context(), job.ID)
		a.OK(err)
		if a.OK(h.RunLater(t.Context(), begun)); begun.At != nil {
			t.Errorf("the job begins at %v", begun.At)
		}
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
	a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"items"}})
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
	edited := post(false)
	edited["kind"] = "b"
	h.changes("OnPostWritten", "posts/p", post(false), edited)
	if left := h.ActsLeft("bob"); left != 40-1-10 {
		t.Errorf("after bob's edit, %d acts are left, want %d", left, 40-1-10)
	}
}

// Who owns many groups has one hour for what they show again in all of them.
func TestOwnerShowsStrangersOfAllGroupsInOneHour(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true})
	h := a.hourly(300)
	for n := range 5 {
		group, to := fmt.Sprint("g_", n), []string{}
		for v := range 9 {
			to = append(to, fmt.Sprintf("v%d-%d", n, v))
		}
		a.Must(a.Client.Doc("users/"+group).Set(t.Context(), map[string]any{"name": "group", "ownerId": "ada"}))
		hidden := post(group, to...)
		hidden["hidden"], hidden["hiddenBy"] = true, "owner"
		h.rewrites(fmt.Sprint("p", n), hidden, post(group, to...))
	}
	if n := len(h.later()); n != 4 {
		t.Errorf("%d of 5 posts wait, want 4", n)
	}
}

// A purge deletes the jobs that wait and name its account, also those of others, and no other job of its owner. Its own
// job stays.
func TestPurgeDeletesDelayedJobsThatNameAccount(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true})
	engine, stays := a.Instance().Engine, map[string]bool{}
	for _, job := range []struct {
		function, account, author, reader, post string
		stays                                   bool
	}{
		{function: "OnPostWritten", account: "ann", post: "p1"},
		{function: "OnPostWritten", account: "other", post: "p2", stays: true},
		{function: "OnLikeWritten", account: "other", reader: "other", post: "anns", stays: true},
		{function: "OnFollowerWritten", account: "other", author: "ann", reader: "other"},
		{function: "OnFollowerWritten", account: "ann", author: "other", reader: "ann"},
		{function: "OnFollowerWritten", account: "other", author: "anna", reader: "other", stays: true},
		{function: "OnBlockWritten", account: "other", author: "ann", reader: "other"},
		{function: "OnRequestWritten", account: "other", author: "ann", reader: "other"},
	} {
		args := map[string]string{
			schema.ArgFunction: job.function, schema.ArgAccount: job.account, schema.ArgAuthor: job.author, schema.ArgReader: job.reader, schema.ArgPost: job.post,
		}
		id := schema.LaterJobID(job.function, job.account, job.author, job.reader, job.post)
		a.OK(engine.Enqueue(t.Context(), chunker.Spec{
			ID: id, Kind: schema.KindLater, Owner: a.Index().DB.OwnerOf("ann"), Generation: "1", Args: args, Private: true, At: time.Now().Add(time.Hour),
		}))
		stays[id] = job.stays
	}
	w := a.Worker(0)
	a.OK(w.Index.Accounts.Purge(t.Context(), "ann", "1", ""))
	work(w, a)
	a.WantGone("ann")
	for id, stays := range stays {
		if job, err := a.Client.Doc("_functions/" + id).Get(t.Context()); job == nil || job.Exists() != stays {
			t.Errorf("a job %v, %v; want that it stays: %t", job.Data()["args"], err, stays)
		}
	}
	if job := a.PurgeJob(); job.State != chunker.Done {
		t.Errorf("the purge is %s, want done", job.State)
	}
}

// An edit of a post that waits brings it to nobody.
func TestEditOfDelayedPostBringsNothing(t *testing.T) {
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
	if waiting != 1 || len(h.later()) != 2 || !there("p9") || there("p10") {
		t.Errorf("%d, then %d jobs wait; relations: %t, %t", waiting, len(h.later()), there("p9"), there("p10"))
	}
	a.OK(a.Instance().Deliveries.Edited(t.Context(), "p10"))
	if there("p10") {
		t.Error("the edit brings the post")
	}
}

// Posts that a reader hides or shows beyond the hour wait, each in one job, and none is lost. What a purge deletes leaves
// no job, which would name the account.
func TestHidesBeyondHourWait(t *testing.T) {
	t.Parallel()
	const posts, hourly = 6, 3
	a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"items"}, ReaderSettings: true, Backfill: posts})
	a.Profile("r", map[string]any{"name": "R"})
	var all []string
	for n := range posts {
		p := fmt.Sprint("p", n)
		a.PostTo(p, "ada", "", day.Add(time.Duration(n)*time.Minute), "r")
		a.OK(a.Instance().Deliveries.Post(t.Context(), p))
		all = append([]string{p}, all...)
	}
	h, at := a.hourly(hourly), map[string]any{}
	hides := func(p string, does bool) wire.Counts {
		t.Helper()
		path := "users/r/hidden/" + p
		if does {
			a.Must(a.Client.Doc(path).Set(t.Context(), map[string]any{"createdAt": day}))
			return h.changes("OnHiddenWritten", path, nil, at)
		}
		a.Must(a.Client.Doc(path).Delete(t.Context()))
		return h.changes("OnHiddenWritten", path, at, nil)
	}
	for n := range posts {
		if used := hides(fmt.Sprint("p", n), true); n >= hourly && (used.Reads != 1 || used.Writes != 1) {
			t.Errorf("hide %d costs %v, want a job", n, used)
		}
	}
	for range 20 {
		if shown, hidden := hides("p5", false), hides("p5", true); shown.Reads > 3 || shown.Writes+hidden.Writes > 0 || hidden.Reads > 1 {
			t.Fatalf("to show what waits costs %v, and to hide it %v", shown, hidden)
		}
	}
	if n := len(h.later()); n != posts-hourly {
		t.Errorf("%d jobs wait, want %d", n, posts-hourly)
	}
	a.WantShown("r", all[:posts-hourly]...)
	h.ran()
	a.WantShown("r")

	hides("p0", false) // beyond the hour
	h.ran()
	a.WantShown("r", "p0")
	waiting := len(h.later())
	a.Must(a.Client.Doc("users/r").Delete(t.Context()))
	for n := 1; n < posts; n++ { // by its purge, under way or ended
		mark := map[string]any{}
		if n%2 == 0 {
			mark["expireAt"] = time.Now().Add(time.Hour)
		}
		a.Must(a.Client.Doc("_purging/r").Set(t.Context(), mark))
		hides(fmt.Sprint("p", n), false)
	}
	if n := len(h.later()); n != waiting {
		t.Errorf("%d jobs wait after a purge, before it %d", n, waiting)
	}
}

// A block takes the follow and the posts at once, even beyond the blocker's hour. That notifications name the other no
// longer may wait.
func TestBlockBeyondHourTakesAtOnce(t *testing.T) {
	t.Parallel()
	a := openApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"items"}, Notifications: true, KeepOnUnfollow: true})
	a.Profile("ada", map[string]any{"name": "Ada"})
	a.Post("p", "ada", day)
	fans := []string{"f0", "f1", "f2"}
	for n, f := range fans {
		a.friends(f)
		a.PostTo("to-ada-by-"+f, f, "", day, "ada")
		a.OK(a.Instance().Deliveries.Post(t.Context(), "to-ada-by-"+f))
		a.Must(a.Client.Doc("posts/p/likes/"+f).Set(t.Context(), map[string]any{"userId": f, "postId": "p", "createdAt": time.Now().Add(time.Duration(n-10) * time.Second)}))
	}
	a.OK(a.Instance().Deliveries.Post(t.Context(), "p"))
	a.OK(a.Instance().Tallies.Liked(t.Context(), "p"))
	named := func() string { return fmt.Sprint(a.Data("users/ada/notifications/like.p")["actors"]) }
	if named() != "[f2 f1 f0]" || len(a.Timeline("ada")) != 3 {
		t.Fatalf("the notification names %s, and %d posts name ada", named(), len(a.Timeline("ada")))
	}
	h := a.hourly(2)
	for n, f := range fans {
		path := "users/ada/blocked/" + f
		a.Must(a.Client.Doc(path).Set(t.Context(), map[string]any{"createdAt": day}))
		h.changes("OnBlockWritten", path, nil, map[string]any{})
		h.changes("OnFollowerWritten", "users/ada/followers/"+f, map[string]any{}, nil)
		if left := len(fans) - n - 1; a.Count("users/ada/followers") != left || len(a.Timeline(f)) > 0 || len(a.Timeline("ada")) != left {
			t.Errorf("%s is blocked: %d follow, %s has %v, ada has %v", f, a.Count("users/ada/followers"), f, a.Timeline(f), a.Timeline("ada"))
		}
	}
	if jobs := len(h.later()); jobs != 1 || named() != "[f2]" {
		t.Errorf("%d jobs wait, and the notification names %s", jobs, named())
	}
	h.ran()
	if named() != "[]" || a.Data("users/ada/notifications/like.p")["at"] != nil {
		t.Errorf("the notification is shown and names %s, all of whom are blocked", named())
	}
}
