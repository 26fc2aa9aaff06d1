package functions_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// inRanges is a configuration with which 11 index documents are three ranges of
// several pages each.
var inRanges = config.Functions{Capacity: 1, InlineLimit: 3, Range: 4, Chunk: 2, Step: time.Nanosecond, CopiedFields: []string{"text"}}

// followed makes an author with n followers, each in an index document of its own.
func (a *app) followed(author string, n int) {
	a.T.Helper()
	for i := range n {
		a.Follow(fmt.Sprintf("r%02d", i), author)
	}
	a.Settle()
}

// wantRanges checks the jobs of a post for so many index documents: one for each range, which are
// done, with all of them.
func (a *app) wantRanges(post string, ranges int, documents int64) {
	a.T.Helper()
	jobs, err := a.Instance().Engine.Named(a.T.Context(), schema.PostJobs(post), 100)
	if err != nil {
		a.T.Fatal(err)
	}
	jobs = slices.DeleteFunc(jobs, func(job chunker.Job) bool { return job.Args[schema.ArgDocuments] != fmt.Sprint(documents) })
	var done, total int64
	for _, job := range jobs {
		if done += job.Done; job.Total != nil {
			total += *job.Total
		}
		if job.State != chunker.Done {
			a.T.Errorf("the job %s is %s, with the error %+v", job.ID, job.State, job.Error)
		}
	}
	if len(jobs) != ranges || done != documents || total != documents {
		a.T.Errorf("%d jobs with %d documents of %d done, want %d jobs with %d", len(jobs), done, total, ranges, documents)
	}
}

// A post of an author with many index documents is carried to them, edited,
// given to another author and deleted by jobs that each have a range of them.
func TestAPostInRanges(t *testing.T) {
	t.Parallel()
	const k = 11
	a := newApp(t, inRanges)
	a.followed("author", k)
	a.Follow("r00", "other")
	a.Follow("fan", "other")
	a.Settle()
	post := a.Client.Doc("posts/p1")

	created := a.Used(func() { a.Post("p1", "author", day) })
	a.wantRanges("p1", 3, k)
	a.WantFeed("r10", "p1")

	edited := a.Used(func() { a.Must(post.Update(t.Context(), []firestore.Update{{Path: "text", Value: "new"}})) })
	a.wantRanges("p1", 3, k)
	a.WantVerified()

	a.Must(post.Update(t.Context(), []firestore.Update{{Path: "userId", Value: "other"}}))
	a.Settle()
	a.WantFeed("r10")
	a.WantFeed("fan", "p1")
	a.Must(post.Update(t.Context(), []firestore.Update{{Path: "userId", Value: "author"}}))
	a.Settle()
	a.WantFeed("r10", "p1")
	a.WantFeed("fan")

	deleted := a.Used(func() { a.Must(post.Delete(t.Context())) })
	a.wantRanges("p1", 3, k)
	if got := a.Count("_relations"); got != 0 {
		t.Errorf("%d relations of a deleted post", got)
	}
	a.WantVerified()

	// Beyond the relations: the jobs are enqueued, and each page is claimed and handed over or
	// finished. Two ranges look for more relations after the four that make two full pages. A step
	// that leaves its turn to another job writes that one.
	const enqueued, pages = 3, 6
	for what, c := range map[string]struct {
		used   wire.Counts
		writes int64
	}{"post": {created, k + enqueued + 2*pages}, "edit": {edited, k + enqueued + 2*(pages+2)}, "deletion": {deleted, enqueued + 2*(pages+2)}} {
		if c.used.Writes < c.writes || c.used.Writes > c.writes+pages+2 {
			t.Errorf("the %s cost %v, want %d writes, and one for each step at most", what, c.used, c.writes)
		}
	}
	if deleted.Deletes != k {
		t.Errorf("the deletion cost %v, want %d deletes", deleted, k)
	}
	t.Logf("post: %v; edit: %v; deletion: %v", created, edited, deleted)
}

// The fan-out, and the deletion, of a post are killed at each of
// their writes in turn and resumed by another process.
func TestRangesKilledAtEveryWrite(t *testing.T) {
	t.Parallel()
	const k = 5
	cfg := inRanges
	cfg.InlineLimit, cfg.Range = 1, 3
	for name, c := range map[string]struct {
		posted bool // before; and deleted then
		want   int  // relations in the end
	}{"post": {false, k}, "deletion": {true, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t, cfg)
			a.followed("author", k)
			if c.posted {
				a.Post("p1", "author", day)
				a.Settle()
			}
			a.Silence()
			if c.posted {
				a.DeletePost("p1")
			} else {
				a.Post("p1", "author", day)
			}
			documents := testkit.Documents(t, a.Client, nil)
			const least = 10 // writes
			killEach(t, testkit.Stride(t), 1, least, func(t *testing.T, death *faults.Death) {
				a := copyOf(t, cfg, documents)
				run := func(w worker) error {
					if err := w.index.Deliveries.Post(t.Context(), "p1"); err != nil {
						return err
					}
					return w.finish(a)
				}
				_ = run(a.worker(0, death.Interceptor()))
				if !death.Died() {
					return
				}
				if err := run(a.worker(2 * time.Minute)); err != nil {
					t.Fatal("resumed: ", err)
				}
				if got := a.Count("_relations"); got != c.want {
					t.Errorf("%d relations, want %d", got, c.want)
				}
				if !c.posted { // the second deletion is one of its own, and finds less
					a.wantRanges("p1", 2, k)
				}
				a.WantVerified()
			})
		})
	}
}

// The jobs of a post to five index documents are under way, or done, when the post goes to an
// audience of three: the last range has another beginning, and no end, and what the post had
// beyond it goes.
func TestAPostThatGoesToASmallerAudienceInTheMiddleOfItsRanges(t *testing.T) {
	t.Parallel()
	a := newApp(t, config.Functions{Capacity: 1, InlineLimit: 1, Range: 2, Chunk: 1})
	a.followed("author", 5)
	for n := range 3 {
		a.Follow(fmt.Sprintf("o%02d", n), "other")
	}
	a.Settle()
	a.Silence()
	a.Post("p", "author", day)
	w := a.worker(0)
	event := func() {
		t.Helper()
		if err := w.index.Deliveries.Post(t.Context(), "p"); err != nil {
			t.Fatal(err)
		}
	}
	event()
	jobs, err := w.Named(t.Context(), schema.PostJobs("p"), 10)
	if err != nil || len(jobs) != 3 {
		t.Fatalf("the jobs are %v, %v, want three", jobs, err)
	}
	w.alone(a, jobs[2].ID)
	if job := w.step(a, jobs[1].ID); job.State != chunker.Queued || job.LastDoc == nil {
		t.Fatalf("the job of the second range is %s after %v, want it in the middle", job.State, job.LastDoc)
	}
	a.Edit("p", firestore.Update{Path: "userId", Value: "other"}, firestore.Update{Path: "audience", Value: "other"})
	event()
	if err := w.finish(a); err != nil {
		t.Fatal(err)
	}
	a.WantFeed("r04")
	a.WantFeed("o02", "p")
	a.WantVerified()
}

// The purge of an author's posts deletes the jobs of all their ranges, and those of no other post.
func TestAPurgeDeletesTheJobsOfAllRanges(t *testing.T) {
	t.Parallel()
	a := newApp(t, inRanges)
	a.Profile("author", map[string]any{"displayName": "A"})
	a.followed("author", 11)
	a.Post("p", "author", day)
	a.Settle()
	a.wantRanges("p", 3, 11)
	other := a.Client.Doc("_functions/post:pq~00001-")
	a.Must(other.Set(t.Context(), a.Data("_functions/post:p~00001-00004")))
	a.DeleteAccount("author")
	a.Settle()
	jobs, err := a.Instance().Engine.Named(t.Context(), "post:", 100)
	if err != nil || len(jobs) != 1 || jobs[0].ID != other.ID {
		t.Errorf("the jobs are %v, %v, want that of another post", jobs, err)
	}
}
