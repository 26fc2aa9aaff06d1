package stories

import (
	"fmt"
	"testing"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
)

// aPage is a step so short that a job hands over after its first page.
const aPage = time.Nanosecond

func fanoutBeyondTheInlineLimitIsAJobOfSeveralHops(t *testing.T, m Machine) {
	const followers = 24
	a := New(t, m, schema.Config{NoOwnPosts: true, Capacity: 1, InlineLimit: 5, Chunk: 4, Step: aPage})
	for i := range followers {
		a.Follow(fmt.Sprintf("r%02d", i), "author")
	}
	a.Settle()
	a.Post("p1", "author", Day)
	a.Settle()
	for i := range followers {
		a.WantFeed(fmt.Sprintf("r%02d", i), "p1")
	}
	job := a.Job("post:p1~00001-")
	if job.State != chunker.Done || job.Done != followers || job.Hop < 3 {
		t.Errorf("job is %s after %d hops with %d documents done, want done after at least 3 with %d", job.State, job.Hop, job.Done, followers)
	}
	a.WantVerified()

	a.DeletePost("p1")
	a.Settle()
	if got := a.Count("_relations"); got != 0 {
		t.Errorf("%d relations of a deleted post", got)
	}
	a.WantVerified()
}

func syncBeyondTheInlineLimitIsAJob(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true, InlineLimit: 3, Chunk: 2, Step: aPage})
	want := []string{}
	for i := range 9 {
		a.Post(fmt.Sprintf("p%d", i), "author", Day.Add(-time.Duration(i)*time.Hour))
		want = append(want, fmt.Sprintf("p%d", i))
	}
	a.Settle()
	a.Follow("r1", "author") // backfill
	a.Settle()
	a.WantFeed("r1", want...)
	for _, r := range []string{"r2", "r3", "r4"} { // sync
		a.Follow(r, "author")
	}
	a.Settle()
	a.WantFeed("r2", want...)
	a.WantFeed("r4", want...)
	a.Unfollow("r1", "author")
	a.Settle()
	a.WantFeed("r1")
	if job := a.Job("index:author:00001"); job.State != chunker.Done {
		t.Errorf("job is %s, want done", job.State)
	}
	a.WantVerified()
}

// Relations of a deleted post are found among those of posts whose ids begin alike, also at the edges
// of ranges.
func rangesKeepToTheirPost(t *testing.T, m Machine) {
	a := New(t, m, schema.Config{NoOwnPosts: true, Capacity: 1, InlineLimit: 3, Range: 4, Chunk: 2, Step: aPage})
	for i := range 11 {
		a.Follow(fmt.Sprintf("r%02d", i), "author")
	}
	a.Settle()
	for _, p := range []string{"p", "p_00004", "p_00005", "p_000041"} {
		a.Post(p, "author", Day)
	}
	a.Settle()
	a.WantVerified()
	a.DeletePost("p")
	a.Settle()
	a.WantVerified()
	if got := a.Count("_relations"); got != 3*11 {
		t.Errorf("%d relations, want those of three posts", got)
	}
}
