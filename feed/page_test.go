package feed_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/type/latlng"

	"example.com/relationindex/feed"
)

func TestEmptyFeedReturnsEmptyPage(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	if p := db.page(20, ""); p.Posts == nil || len(p.Posts) != 0 || p.Cursor != "" {
		t.Errorf("got %+v", p)
	}
}

func TestInvalidLimitsAndCursorsAreRejected(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	for _, limit := range []int{-1, 0, 51} {
		if _, err := db.Page(t.Context(), "ada", limit, ""); !errors.Is(err, feed.ErrLimit) {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	db.post("p1", "bob", noon, "00001")
	theirs := db.page(1, "").Cursor
	if _, err := db.Page(t.Context(), "eve", 1, theirs); !errors.Is(err, feed.ErrCursor) {
		t.Errorf("ada's cursor for eve: %v", err)
	}
}

// A page of n posts costs n reads twice over, in two calls, and a read of the horizon a minute; of the
// relations little travels.
func TestPageIsOneQueryAndOneBatchGetForAnyFollows(t *testing.T) {
	t.Parallel()
	for _, follows := range []int{1, 1000} {
		db := newDatabase(t)
		documents := map[string]map[string]any{}
		for i := range max(30, follows) {
			id, author := fmt.Sprintf("p%04d", i), fmt.Sprintf("author%d", i%follows)
			at := noon.Add(time.Duration(i) * time.Second)
			documents["posts/"+id] = map[string]any{"userId": author, "createdAt": at}
			documents["_relations/"+id+"_00001"] = relationOf(id, author, "00001", at)
		}
		db.write(documents)
		var p feed.Page
		counts, calls := db.counts(func() { p = db.page(20, "") })
		if len(p.Posts) != 20 || counts.Reads != 1+40 || counts.Requests != 3 || calls != 3 || counts.Writes+counts.Deletes != 0 {
			t.Errorf("%d follows: %d posts for %v", follows, len(p.Posts), counts)
		}
	}
}

func TestFollowersStayInFirestore(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	followers := make([]string, 10_000)
	for i := range followers {
		followers[i] = fmt.Sprintf("follower-%019d", i) // as long as a Firebase user id
	}
	followers[7] = "ada"
	for i := range 20 {
		id := fmt.Sprintf("p%d", i)
		db.write(map[string]map[string]any{
			"posts/" + id:                 {"userId": "bob", "createdAt": noon, "text": strings.Repeat("x", 280)},
			"_relations/" + id + "_00001": relationOf(id, "bob", "00001", noon, followers...),
		})
	}
	var p feed.Page
	counts, _ := db.counts(func() { p = db.page(20, "") })
	t.Logf("a page of %d, with %d followers each: %d bytes received", len(p.Posts), len(followers), counts.Received)
	if len(p.Posts) != 20 || counts.Received > 20_000 {
		t.Errorf("%d posts took %d bytes, want 20 and at most 20,000", len(p.Posts), counts.Received)
	}
}

func TestPageStopsFillingAfterFiveRounds(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	documents := map[string]map[string]any{}
	for i := range 20 {
		id := fmt.Sprintf("gone%02d", i)
		documents["_relations/"+id+"_00001"] = relationOf(id, "bob", "00001", noon.Add(time.Hour+time.Duration(i)*time.Second))
	}
	db.write(documents)
	db.post("p1", "bob", noon, "00001")
	p := db.page(2, "")
	if len(p.Posts) != 0 || p.Cursor == "" || p.Rounds != 5 {
		t.Errorf("%d posts, cursor %q after %d rounds; want an empty page after 5 that is not the last", len(p.Posts), p.Cursor, p.Rounds)
	}
	if diff := cmp.Diff([]string{"", "", "p1"}, db.all(2)); diff != "" {
		t.Error(diff)
	}
}

// A post changes hands: its relations of both authors are there.
func TestPageReturnsPostOnceAfterAuthorChange(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	db.post("p1", "bob", noon, "00001")
	db.write(map[string]map[string]any{"_relations/p1_00002": relationOf("p1", "eve", "00002", noon)})
	for limit := 1; limit <= 2; limit++ {
		if got := strings.Fields(strings.Join(db.all(limit), " ")); len(got) != 1 || got[0] != "p1" {
			t.Errorf("limit %d: got %q, want p1 once", limit, got)
		}
	}
}

func TestLargePostsEndAPageEarly(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	large := strings.Repeat("x", 900<<10)
	var want []string
	for i := 29; i >= 0; i-- {
		id := fmt.Sprintf("p%02d", i)
		db.write(map[string]map[string]any{
			"posts/" + id:                 {"userId": "bob", "createdAt": noon, "text": large},
			"_relations/" + id + "_00001": relationOf(id, "bob", "00001", noon),
		})
		want = append(want, id)
	}
	var p feed.Page
	counts, _ := db.counts(func() { p = db.page(30, "") })
	if len(p.Posts) != 3 || p.Cursor == "" {
		t.Errorf("%d posts, cursor %q; want 3 of 900 KiB, and more to come", len(p.Posts), p.Cursor)
	}
	t.Logf("the first page of %d took %v and %d bytes", len(p.Posts), counts, counts.Received)
	if diff := cmp.Diff(want, strings.Fields(strings.Join(db.all(30), " "))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, strings.Fields(strings.Join(db.all(1), " "))); diff != "" {
		t.Error(diff)
	}
}

func TestPostsAsTheyAreStored(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	at := time.Date(2026, 11, 20, 18, 0, 0, 123_456_000, time.UTC)
	db.write(map[string]map[string]any{
		"_relations/p1_00001": relationOf("p1", "bob", "00001", at),
		"posts/p1": {
			"userId": "bob", "createdAt": "no timestamp", "text": "<b>", "n": 7, "nan": math.NaN(), "none": nil,
			"ref": db.Doc("users/bob"), "where": &latlng.LatLng{Latitude: 1, Longitude: 2}, "bytes": []byte("x"),
			"vector": firestore.Vector64{1, 2}, "nested": map[string]any{"at": []any{at}},
		},
	})
	want := feed.Post{ID: "p1", UserID: "bob", CreatedAt: at, Data: map[string]any{
		"text": "<b>", "n": int64(7), "nan": "NaN", "none": nil, "ref": "users/bob", "bytes": []byte("x"),
		"where":  map[string]any{"latitude": 1.0, "longitude": 2.0},
		"vector": []any{1.0, 2.0}, "nested": map[string]any{"at": []any{at}},
	}}
	if diff := cmp.Diff([]feed.Post{want}, db.page(20, "").Posts); diff != "" {
		t.Error(diff)
	}
}

// The library decodes fewer values than the protocol has. One such value must not
// remove a page of others' posts.
func TestUndecodablePostIsOmitted(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	for i, id := range []string{"p1", "p2", "p3"} {
		db.post(id, "bob", noon.Add(time.Duration(i)*time.Second), "00001")
	}
	if _, err := db.Doc("posts/p2").Update(t.Context(), []firestore.Update{{Path: undecodable, Value: true}}); err != nil {
		t.Fatal(err)
	}
	p := db.page(3, "")
	if got := ids(p); got != "p3 p1" || len(p.Damaged) != 1 || !strings.Contains(p.Damaged[0].Error(), "p2") {
		t.Errorf("got %s, left out: %v", got, p.Damaged)
	}
}

func TestPageOmitsRelationsWithoutPost(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	db.post("p1", "bob", noon, "00001")
	db.write(map[string]map[string]any{
		"_relations/a_00001": relationOf("", "bob", "00001", noon.Add(time.Second)),
		"_relations/b_00001": relationOf("a/b", "bob", "00001", noon.Add(2*time.Second)),
	})
	if diff := cmp.Diff([]string{"p1"}, db.all(20)); diff != "" {
		t.Error(diff)
	}
}

// A reader who follows the author, and is named by each post, is in two relations of each.
func TestPageIsFullWithTwoRelationsPerPost(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	const posts = 60
	documents := map[string]map[string]any{}
	var want []string
	for i := posts - 1; i >= 0; i-- {
		id, at := fmt.Sprintf("p%02d", i), noon.Add(time.Duration(i/2)*time.Second)
		documents["posts/"+id] = map[string]any{"userId": "bob", "createdAt": at, "to": []string{"eve", "ada"}}
		documents["_relations/"+id+"_00001"] = relationOf(id, "bob", "00001", at)
		documents["_relations/"+id+"_00000"] = directOf(id, "bob", at)
		want = append(want, id)
	}
	db.write(documents)
	for _, limit := range []int{1, 2, 7, 20, 50} {
		var got []string
		for cursor := ""; len(got) < posts; {
			p := db.page(limit, cursor)
			if full := min(limit, posts-len(got)); len(p.Posts) != full || p.Rounds > 3 {
				t.Fatalf("limit %d: after %d posts, a page has %d in %d rounds", limit, len(got), len(p.Posts), p.Rounds)
			}
			got, cursor = append(got, strings.Fields(ids(p))...), p.Cursor
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("limit %d (-want +got):\n%s", limit, diff)
		}
	}
	counts, _ := db.counts(func() { db.page(20, "") })
	if counts.Reads != 40+20 || counts.Requests != 4 {
		t.Errorf("a page of 20 posts with two relations each took %v, want 60 reads in 4 requests", counts)
	}
}

// A relation may be late. The post decides.
func TestPageOmitsPostsNoLongerForReader(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	type fields = map[string]any
	bobs := relationOf("", "bob", "00001", noon)
	team := relationOf("", "bob", "00001", noon)
	team["audience"] = "g_team"
	direct := directOf("", "bob", noon)
	own := directOf("", "ada", noon)
	for name, test := range map[string]struct {
		relation, post fields
		want           bool
	}{
		"an old post":                              {bobs, fields{}, true},
		"for the author's followers":               {bobs, fields{"audience": "bob", "hidden": false}, true},
		"for a group":                              {team, fields{"audience": "g_team"}, true},
		"named":                                    {direct, fields{"audience": "", "to": []any{"eve", "ada"}}, true},
		"the reader's own":                         {own, fields{"userId": "ada", "audience": "g_other"}, true},
		"hidden from followers":                    {bobs, fields{"hidden": true}, false},
		"hidden from whom it names":                {direct, fields{"to": []any{"ada"}, "hidden": true}, false},
		"the reader's own, hidden":                 {own, fields{"userId": "ada", "hidden": true}, false},
		"for a group now":                          {bobs, fields{"audience": "g_team"}, false},
		"for another group now":                    {team, fields{"audience": "g_other"}, false},
		"for the author's followers now":           {team, fields{}, false},
		"for nobody now":                           {bobs, fields{"audience": ""}, false},
		"for nobody but others":                    {direct, fields{"to": []any{"eve"}}, false},
		"named, in a relation of followers":        {bobs, fields{"audience": "", "to": []any{"ada"}}, false},
		"followed, in a relation of whom it names": {direct, fields{}, false},
		"another author's audience":                {bobs, fields{"audience": "eve"}, false},
		"an audience that is no text":              {bobs, fields{"audience": 7}, false},
		"to is no array":                           {direct, fields{"to": "ada"}, false},
		"to has an invalid id too":                 {direct, fields{"to": []any{"ada", "a/b"}}, true},
		"to has an invalid id alone":               {direct, fields{"to": []any{"a/b"}}, false},
		"to has what is no text too":               {direct, fields{"to": []any{7, "ada"}}, true},
		"to has too many":                          {direct, fields{"to": append(many(100), "ada")}, false},
		"to has as many as it may":                 {direct, fields{"to": append(many(99), "ada")}, true},
	} {
		post := fields{"userId": "bob", "createdAt": noon}
		maps.Copy(post, test.post)
		relation := maps.Clone(test.relation)
		relation["postId"] = "p1"
		db.write(map[string]map[string]any{"posts/p1": post, "_relations/p1_00001": relation})
		if got := ids(db.page(20, "")); (got == "p1") != test.want {
			t.Errorf("%s: got %q, want the post: %v", name, got, test.want)
		}
	}
}
