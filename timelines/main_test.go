package timelines_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/chunker"
	"example.com/relationindex/feed/pages"
	"example.com/relationindex/followers"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/timelines"
	"example.com/relationindex/timelines/layout"
)

func TestMain(m *testing.M) { testkit.MainWithTokens(m) }

// world is a database of a test's own. The test says which process handles what.
type world struct {
	t       *testing.T
	project string
	opts    timelines.Options
	options schema.Config // of the database, but for limit
	limit   int           // InlineLimit; 0: the default
	later   time.Duration // what the clocks of jobs are ahead
	wrote   time.Time     // createdAt of the last post of write
	*process
}

// process is timelines in a process.
type process struct {
	client *firestore.Client
	graph  *followers.Graph
	engine *chunker.Engine
	d      *timelines.Delivery
}

func newWorld(t *testing.T, opts timelines.Options) *world {
	t.Helper()
	w := &world{t: t, project: testkit.ProjectID(t), opts: opts}
	w.opts.Alone = true
	w.process = w.open()
	return w
}

// joins has a reader follow, and waits for what comes of it.
func (w *world) joins(reader string) {
	w.t.Helper()
	w.follows(reader)
	w.must(w.follow(w.process, reader)())
}

// leaves ends a follow, and waits for what comes of it.
func (w *world) leaves(reader string) {
	w.t.Helper()
	w.remove("users/ada/followers/" + reader)
	w.must(w.follow(w.process, reader)())
}

// open starts another process.
func (w *world) open(interceptors ...wire.Interceptor) *process {
	w.t.Helper()
	client, err := wire.Open(w.t.Context(), w.project, testkit.Machine(w.t).Emulator.FirestoreHost(), interceptors...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = client.Close() })
	options := w.options
	options.InlineLimit, options.NoOwnPosts = w.limit, true
	db, err := schema.Open(client, options)
	if err != nil {
		w.t.Fatal(err)
	}
	engine := chunker.New(client, chunker.Options{Wait: testkit.NoWait, Now: func() time.Time { return time.Now().Add(w.later) }})
	p := &process{client: client, graph: followers.New(db, engine), engine: engine}
	p.d = timelines.New(p.graph, w.opts)
	p.graph.Deliver(p.d)
	return p
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) set(path string, data map[string]any) {
	w.t.Helper()
	_, err := w.client.Doc(path).Set(w.t.Context(), data)
	w.must(err)
}

func (w *world) remove(path string) {
	w.t.Helper()
	_, err := w.client.Doc(path).Delete(w.t.Context())
	w.must(err)
}

// write writes a post by ada to her followers, now.
func (w *world) write(p string) {
	w.t.Helper()
	if now := time.Now().Round(0); now.After(w.wrote) { // the machine's clock may be set back
		w.wrote = now
	} else {
		w.wrote = w.wrote.Add(time.Millisecond)
	}
	w.set("posts/"+p, map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "createdAt": w.wrote})
}

// writeAgo writes a post by ada to her followers that was made a while ago.
func (w *world) writeAgo(p string, age time.Duration) {
	w.t.Helper()
	w.set("posts/"+p, map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "createdAt": time.Now().Add(-age)})
}

// post writes a post and handles it.
func (w *world) post(p string) {
	w.t.Helper()
	w.write(p)
	w.must(w.d.Post(w.t.Context(), p))
}

// follows writes that a reader follows ada.
func (w *world) follows(reader string) {
	w.t.Helper()
	w.set("users/ada/followers/"+reader, map[string]any{"createdAt": firestore.ServerTimestamp})
}

// follow is the event of a follow or an unfollow, in a process.
func (w *world) follow(p *process, reader string) func() error {
	return func() error { return p.graph.Follow(w.t.Context(), "ada", reader) }
}

// event is the event of a post, in a process.
func (w *world) event(p *process, post string) func() error {
	return func() error { return p.d.Post(w.t.Context(), post) }
}

// beside begins held, lets other end while held waits at the gate, and lets held end.
func (w *world) beside(g *testkit.Gate, held func() error, other func()) error {
	w.t.Helper()
	done := make(chan error, 1)
	go func() { done <- held() }()
	g.Await()
	other()
	g.Open()
	return <-done
}

// wantFeed compares a reader's timeline, and checks that it agrees with itself. A post whose entry
// is marked ends in ", hidden".
func (w *world) wantFeed(reader string, want ...string) {
	w.t.Helper()
	entries, err := w.newest(reader)
	w.must(err)
	got := []string{}
	for _, e := range entries {
		if e.Hidden {
			e.Post += ", hidden"
		}
		got = append(got, e.Post)
	}
	testkit.Same(w.t, fmt.Sprintf("feed of %s", reader), append([]string{}, want...), got)
	w.wantSound(reader)
}

// wantSound checks that buckets name their posts, and that the total is theirs.
func (w *world) wantSound(reader string) {
	w.t.Helper()
	docs, err := w.client.Collection("users/" + reader + "/timeline").Documents(w.t.Context()).GetAll()
	w.must(err)
	total, buckets := int64(0), false
	for _, doc := range docs {
		var d struct {
			Posts   []string       `firestore:"posts"`
			Entries map[string]any `firestore:"entries"`
			Total   *int64         `firestore:"total"`
		}
		w.must(doc.DataTo(&d))
		if d.Entries == nil && !strings.HasPrefix(doc.Ref.ID, "past-") && doc.Ref.ID != "open" {
			continue // an item
		}
		testkit.Same(w.t, fmt.Sprintf("%s: posts", doc.Ref.Path), slices.Sorted(maps.Keys(d.Entries)), slices.Sorted(slices.Values(d.Posts)))
		if total -= int64(len(d.Entries)); d.Total != nil {
			total, buckets = total+*d.Total, true
		}
	}
	if buckets && total != 0 {
		w.t.Errorf("the total of %s is %d more than its entries", reader, total)
	}
}

// readOf matches the read of a document in a transaction.
func readOf(path string) func(any) bool {
	return func(req any) bool {
		get, ok := req.(*pb.BatchGetDocumentsRequest)
		return ok && get.GetTransaction() != nil && slices.ContainsFunc(get.GetDocuments(), func(name string) bool {
			return strings.HasSuffix(name, "/documents/"+path)
		})
	}
}

var (
	ones  = timelines.Options{Layout: layout.NewBuckets(1, 0), Backfill: 100}
	fifty = timelines.Options{Layout: layout.NewBuckets(50, 0), Backfill: 100}
	light = timelines.Options{Layout: layout.NewBuckets(1, 0).Light(), Backfill: 100} // closed each time
	items = timelines.Options{Layout: layout.Items{}, Backfill: 100}
	days  = timelines.Options{Layout: layout.Days{}, Backfill: 100}
)

var layouts = map[string]timelines.Options{"items": items, "buckets of 1": ones, "buckets of 50": fifty, "light buckets of 1": light, "days": days}

// eachLayout runs a test for each layout.
func eachLayout(t *testing.T, test func(t *testing.T, opts timelines.Options)) {
	t.Helper()
	t.Parallel()
	for name, opts := range layouts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, opts)
		})
	}
}

// isTimelineCommit matches a commit that writes to a timeline.
func isTimelineCommit(req any) bool {
	commit, ok := req.(*pb.CommitRequest)
	return ok && slices.ContainsFunc(commit.GetWrites(), func(w *pb.Write) bool {
		return strings.Contains(w.GetUpdate().GetName()+w.GetDelete(), "/timeline/")
	})
}

func (w *world) data(path string) map[string]any {
	w.t.Helper()
	doc, err := w.client.Doc(path).Get(w.t.Context())
	w.must(err)
	return doc.Data()
}

func (w *world) newest(reader string) ([]layout.Entry, error) {
	return pages.Newest(w.t.Context(), w.d.Database(), w.d.Layout(), reader, 100)
}
