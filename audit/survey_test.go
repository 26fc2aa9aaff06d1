package audit_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/audit/survey"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// look writes documents of an app, and returns what a survey finds strange, with what it stops for in
// capitals.
func look(t *testing.T, app *testkit.App, documents map[string]map[string]any) []string {
	t.Helper()
	for path, fields := range documents {
		app.Must(app.Client.Doc(path).Set(t.Context(), fields))
	}
	found, reads, err := survey.Collections(t.Context(), app.Instance().DB, 8, nil)
	app.Must(nil, err)
	const counted = 3 // fields
	if most := int64(len(found)*(2*8+2) + counted); reads > most {
		t.Errorf("%d reads, want at most %d", reads, most)
	}
	var strange []string
	for _, f := range found {
		if (f.Strange > 0 || f.Without > 0) != (f.Problem != "") || f.Strange == 0 && f.Fields != nil || f.Stops && f.Problem == "" || f.Sampled > 8 {
			t.Errorf("a finding that does not agree with itself: %+v", f)
		}
		if f.Strange == 0 {
			continue
		}
		name := f.Collection
		if f.Stops {
			name = strings.ToUpper(name)
		}
		strange = append(strange, fmt.Sprint(name, " ", f.Documents, " ", f.Strange))
	}
	return strange
}

// A graph of relationindex itself has nothing strange: a survey may be run again after an installation.
func TestSurveyOfOwnDatabaseFindsNothing(t *testing.T) {
	t.Parallel()
	app := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}})
	for _, u := range []string{"ada", "bob"} {
		app.Profile(u, map[string]any{"name": u})
	}
	app.Follow("bob", "ada")
	app.Settle()
	app.Must(app.Client.Doc("posts/p").Set(t.Context(), map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "createdAt": time.Now()}))
	app.Settle()
	if diff := cmp.Diff([]string(nil), look(t, app, nil)); diff != "" {
		t.Error(diff)
	}
}

// The app's own documents in collections that the functions own stop an installation. The same names
// elsewhere do not, and neither do unsampled documents.
func TestSurveyOfAppUsingOurCollectionNames(t *testing.T) {
	t.Parallel()
	documents := map[string]map[string]any{
		"users/ada":                 {"name": "Ada"},
		"users/bob":                 {"title": "no name"},
		"users/ada/following/bob":   {"since": 2020},
		"users/ada/timeline/x":      {"event": "born"},
		"users/bob/followers/bob":   {},
		"users/ada/notifications/x": {"text": "hello"},
		"posts/old/likes/bob":       {"at": time.Now()},
		"zoo/x/following/y":         {"anything": true},
		"zoo/x/requests/y":          {},
		"_functions/config":         {"region": "eu"},
		"_relations/r":              {"from": "a"},
		"posts/old":                 {"author": "ada"},
		"posts/new":                 {"userId": "ada", "createdAt": time.Now()},
		"posts/newer":               {"userId": "ada", "createdAt": "today", "audience": "ada", "hidden": false},
	}
	for n := range 20 {
		documents[fmt.Sprint("users/ada/requests/r", n)] = map[string]any{"state": "sent"}
	}
	app := testkit.NewApp(t, schema.Config{NoOwnPosts: true})
	got := look(t, app, documents)
	want := []string{
		"USERS/*/FOLLOWING 2 1", "USERS/*/REQUESTS 21 8", "USERS/*/NOTIFICATIONS 1 1", "posts/*/likes 1 1", "_RELATIONS 1 1", "_FUNCTIONS 1 1",
		"users/*/timeline 1 1", "USERS/*/FOLLOWERS 1 1", "users 2 1", "posts 3 1", "POSTS 3 2", "posts 3 2",
	}
	testkit.Same(t, fmt.Sprintf("of %v", slices.Sorted(maps.Keys(documents))), want, got)
}

// alike writes 10 posts as they are to be, which every place that a sample of 8 looks at is among, and others
// behind them.
func alike(t *testing.T, app *testkit.App, others int) {
	t.Helper()
	for n := range 10 {
		id := fmt.Sprint("0_", n)
		if n >= 8 {
			id = fmt.Sprint("zzy_", n)
		}
		app.Must(app.Client.Doc("posts/"+id).Set(t.Context(), map[string]any{"userId": "ada", "createdAt": time.Now(), "audience": "ada", "hidden": false}))
	}
	for n := range others {
		app.Must(app.Client.Doc(fmt.Sprint("posts/zzz_", n)).Set(t.Context(), map[string]any{"authorId": "ada", "created": time.Now(), "createdAt": "today"}))
	}
}

// ofPosts is what a survey finds of posts.
func ofPosts(t *testing.T, app *testkit.App, interceptors ...wire.Interceptor) (found []survey.Finding) {
	t.Helper()
	all, _, err := survey.Collections(t.Context(), app.Instance(interceptors...).DB, 8, nil)
	app.Must(nil, err)
	for _, f := range all {
		if f.Collection == "posts" {
			f.Problem, _, _ = strings.Cut(f.Problem, ",")
			found = append(found, f)
		}
	}
	return found
}

// Documents that no sample sees are counted: their ids begin alike, and behind all others.
func TestSurveyCountsUnsampledPosts(t *testing.T) {
	t.Parallel()
	for others, stops := range map[int]bool{3: false, 11: true} {
		app := testkit.OpenApp(t, schema.Config{NoOwnPosts: true})
		alike(t, app, others)
		want := survey.Finding{
			Collection: "posts", Documents: int64(10 + others), Sampled: 8, Without: int64(others), Stops: stops,
			With: []survey.With{{Field: "userId", Documents: 10}, {Field: "createdAt", Documents: 10}},
		}
		author, at := want, want
		author.Problem, at.Problem = "without the author's id in userId", "without a timestamp in createdAt"
		testkit.Same(t, fmt.Sprintf("of %d others", others), []survey.Finding{author, at}, ofPosts(t, app))
	}
}

// The survey does not count a field that the app exempted from indexes, and continues with the sample.
func TestSurveySkipsCountOfFieldWithoutIndex(t *testing.T) {
	t.Parallel()
	app := testkit.OpenApp(t, schema.Config{NoOwnPosts: true})
	alike(t, app, 11)
	exempted := wire.Interceptor{Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := streamer(ctx, desc, cc, method, opts...)
		return unindexed{s}, err
	}}
	want := []survey.Finding{{
		Collection: "posts", Documents: 21, Sampled: 8,
		With: []survey.With{{Field: "userId", NoIndex: true}, {Field: "createdAt", NoIndex: true}},
	}}
	testkit.Same(t, "it", want, ofPosts(t, app, exempted))
}

// unindexed refuses to count by a field.
type unindexed struct{ grpc.ClientStream }

func (s unindexed) SendMsg(m any) error {
	if req, ok := m.(*pb.RunAggregationQueryRequest); ok && req.GetStructuredAggregationQuery().GetStructuredQuery().GetWhere() != nil {
		return status.Error(codes.FailedPrecondition, "The query requires an index")
	}
	return s.ClientStream.SendMsg(m)
}
