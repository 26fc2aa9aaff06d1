package relations_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/relations/plan"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

var since = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func TestPlanPost(t *testing.T) {
	fields := map[string]any{"createdAt": since, "tags": []any{"x"}}
	post := &posts.Post{ID: "p", Author: "u", Audience: "u", Fields: fields}
	team := &posts.Post{ID: "p", Author: "u", Audience: "g_team", Fields: fields}
	direct := &posts.Post{ID: "p", Author: "u", Recipients: []string{"r"}, Fields: fields}
	relation := func(index, author string, fields map[string]any) plan.Relation {
		return plan.Relation{IndexID: index, UserID: author, Audience: author, Fields: fields}
	}
	toOthers := plan.Relation{IndexID: schema.DirectIndex, UserID: "u", Version: schema.RecipientsVersion([]string{"s"})}
	toRecipients := plan.Relation{IndexID: schema.DirectIndex, UserID: "u", Version: schema.RecipientsVersion([]string{"r"}), Fields: fields}
	equal := map[string]any{"createdAt": since.In(time.FixedZone("", 3600)), "tags": []any{"x"}}
	for _, c := range []struct {
		name                  string
		post                  *posts.Post
		indexes               []string
		relations             []plan.Relation
		create, refresh, drop []string
	}{
		{"a new post", post, []string{"1", "2"}, nil, []string{"1", "2"}, nil, nil},
		{"nothing has changed", post, []string{"1"}, []plan.Relation{relation("1", "u", equal)}, nil, nil, nil},
		{"an edit", post, []string{"1"}, []plan.Relation{relation("1", "u", map[string]any{"createdAt": since})}, nil, []string{"1"}, nil},
		{"gone", nil, nil, []plan.Relation{relation("1", "u", equal)}, nil, nil, []string{"1"}},
		{"another author with fewer documents", post, []string{"1"}, []plan.Relation{relation("1", "v", equal), relation("2", "v", equal)}, []string{"1"}, nil, []string{"2"}},
		{"another audience with fewer documents", team, []string{"1"}, []plan.Relation{relation("1", "u", fields), relation("2", "u", fields)}, []string{"1"}, nil, []string{"2"}},
		{"direct", direct, []string{schema.DirectIndex}, nil, []string{schema.DirectIndex}, nil, nil},
		{"direct, nothing has changed", direct, []string{schema.DirectIndex}, []plan.Relation{toRecipients}, nil, nil, nil},
		{"other recipients", direct, []string{schema.DirectIndex}, []plan.Relation{toOthers}, []string{schema.DirectIndex}, nil, nil},
		{"no recipients", post, []string{"1"}, []plan.Relation{toOthers, relation("1", "u", fields)}, nil, nil, []string{schema.DirectIndex}},
		{"half done", post, []string{"1", "2", "3"}, []plan.Relation{relation("2", "u", equal)}, []string{"1", "3"}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			todo := plan.Compare(c.post, c.indexes, c.relations, schema.Horizon{}, since)
			names := func(metas []plan.Relation) (out []string) {
				for _, m := range metas {
					out = append(out, m.IndexID)
				}
				return out
			}
			got := [][]string{todo.Create, names(todo.Refresh), names(todo.Drop)}
			testkit.Same(t, "create, refresh, drop", [][]string{c.create, c.refresh, c.drop}, got)
		})
	}
}

// A post that the horizon has passed gets no relation. Those that are there are kept right
// until Firestore deletes them.
func TestPlanPostBeyondTheHorizon(t *testing.T) {
	horizon := schema.Horizon{Feed: 24 * time.Hour, Kept: 24 * time.Hour}
	expires := since.Add(25 * time.Hour)
	fields := map[string]any{"createdAt": since}
	post := &posts.Post{ID: "p", Author: "u", Audience: "u", Fields: fields}
	relation := func(audience string, expireAt time.Time) []plan.Relation {
		return []plan.Relation{{IndexID: "1", UserID: "u", Audience: audience, Fields: fields, ExpireAt: expireAt}}
	}
	for _, c := range []struct {
		name                  string
		now                   time.Time
		relations             []plan.Relation
		create, refresh, drop int
	}{
		{"young", expires, nil, 2, 0, 0},
		{"old", expires.Add(1), nil, 0, 0, 0},
		{"from the future", since.Add(-time.Hour), nil, 2, 0, 0},
		{"old, with a relation", expires.Add(1), relation("u", expires), 0, 0, 0},
		{"old, with a relation from without a horizon", expires.Add(1), relation("u", time.Time{}), 0, 1, 0},
		{"with a relation of another horizon", expires, relation("u", expires.Add(time.Hour)), 1, 1, 0},
		{"old, for another audience", expires.Add(1), relation("g_team", expires), 0, 0, 1},
		{"for another audience", expires, relation("g_team", expires), 2, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			todo := plan.Compare(post, []string{"1", "2"}, c.relations, horizon, c.now)
			if len(todo.Create) != c.create || len(todo.Refresh) != c.refresh || len(todo.Drop) != c.drop {
				t.Errorf("%+v: want %d to create, %d to refresh, %d to drop", todo, c.create, c.refresh, c.drop)
			}
		})
	}
	if todo := plan.Compare(post, []string{"1"}, relation("u", expires), schema.Horizon{}, expires.Add(time.Hour)); len(todo.Refresh) != 1 {
		t.Errorf("the relation keeps its expireAt without a horizon: %+v", todo)
	}
}

// A relation that is made or refreshed says when it may go.
func TestRelationsExpire(t *testing.T) {
	horizon := schema.Horizon{Kept: 24 * time.Hour}
	post := posts.Post{ID: "p", Author: "u", Audience: "u", Fields: map[string]any{"createdAt": since}}
	for name, want := range map[string]time.Time{"kept": since.Add(25 * time.Hour), "all": {}} {
		h := horizon
		if name == "all" {
			h = schema.Horizon{}
		}
		got, _ := plan.Data(post, schema.IndexDocument{ID: "1"}, h)[schema.FieldExpireAt].(time.Time)
		if !got.Equal(want) {
			t.Errorf("%s: a new relation expires at %v, want %v", name, got, want)
		}
		updates := plan.Relation{Fields: map[string]any{"gone": 1}}.Refreshed(post, h)
		var names []string
		for _, u := range updates {
			names = append(names, u.FieldPath[0])
			if u.FieldPath[0] == schema.FieldExpireAt && (want.IsZero() != (u.Value == firestore.Delete) || !want.IsZero() && u.Value != want) {
				t.Errorf("%s: refresh sets expireAt to %v, want %v", name, u.Value, want)
			}
		}
		slices.Sort(names)
		if diff := cmp.Diff([]string{"createdAt", "expireAt", "gone"}, names); diff != "" {
			t.Error(diff)
		}
	}
	last := schema.ExpireAt(schema.LatestTime.Add(-time.Minute), schema.MaxHorizon)
	if last != schema.LatestTime {
		t.Errorf("a post at the end of time expires at %v", last)
	}
}

// The largest relation that the limits let be stays below Firestore's.
func TestLimitsFitFirestore(t *testing.T) {
	if total := schema.MaxFollowersBytes + schema.MaxChangesBytes + schema.MaxCopiedBytes; total >= schema.MaxDocumentBytes {
		t.Errorf("followers, changes and copied fields may take %d bytes, a document %d", total, schema.MaxDocumentBytes)
	}
	if entries := 2*schema.DefaultCapacity + 100; entries > 40_000 {
		t.Errorf("%d index entries, a document may have 40,000", entries)
	}
	const transaction = 10 << 20
	o := schema.Config{}.WithDefaults()
	if got := plan.FullBytes(o, schema.RelationID(strings.Repeat("p", schema.MaxPlainID), "00001")); got > schema.TransactionBytes {
		t.Errorf("the largest relation takes %d bytes of a transaction, planned are %d", got, schema.TransactionBytes)
	}
	if schema.TransactionLimit+3*schema.MaxCopiedBytes > transaction {
		t.Errorf("a transaction may take %d bytes, ours go up to %d and what one post copies", transaction, schema.TransactionLimit)
	}
}

// Three relations of 10,000 Firebase user ids share a transaction; of small
// ones hundreds do, and of the largest each has its own.
func TestRelationsShareTransactionsByTheirBytes(t *testing.T) {
	o := schema.Config{}.WithDefaults()
	client := new(firestore.Client)
	of := func(n, size int, copied string) (relations []plan.Relation) {
		for i := range n {
			ref := client.Collection("_relations").Doc(schema.RelationID(strings.Repeat("p", 20), schema.IndexID(i+1)))
			relations = append(relations, plan.Relation{Ref: ref, SizeBytes: size, Fields: map[string]any{"text": copied}})
		}
		return relations
	}
	for _, c := range []struct {
		name      string
		relations []plan.Relation
		want      []int
	}{
		{"none", nil, nil},
		{"full", of(7, 10_000*29, ""), []int{3, 3, 1}},
		{"as large as can be", of(3, schema.DefaultFollowersBytes, ""), []int{2, 1}},
		{"of unknown size", of(3, 0, ""), []int{2, 1}},
		{"of a size that cannot be", of(3, -1, ""), []int{2, 1}},
		{"of one id", of(700, 29, ""), []int{700}},
		{"of one id and long texts", of(60, 29, strings.Repeat("x", schema.MaxCopiedBytes-8)), []int{22, 22, 16}},
		{"mixed", append(of(2, 10_000*29, ""), of(1, schema.DefaultFollowersBytes, "")...), []int{2, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []int
			for _, part := range work.SplitByBytes(c.relations, func(r plan.Relation) int { return r.Bytes(o) }) {
				got = append(got, len(part))
			}
			testkit.Same(t, "relations in each transaction", c.want, got)
		})
	}
}

// The number of ranges grows with the work, and every index document is in one: also one that
// is opened later.
func TestRanges(t *testing.T) {
	for documents, want := range map[int]int{0: 1, 1: 1, 250: 1, 251: 2, 2_000: 8, 24_999: 100} {
		ranges := plan.Ranges(documents, schema.DefaultRange)
		if len(ranges) != want || ranges[0].From != "" || ranges[want-1].To != "" {
			t.Errorf("%d documents: the ranges are %v, want %d, without bounds at both ends", documents, ranges, want)
		}
		job := chunker.Job{Args: map[string]string{schema.ArgDocuments: strconv.Itoa(documents)}}
		total, names := int64(0), map[string]bool{}
		for n, r := range ranges {
			if n > 0 && r.From != ranges[n-1].To {
				t.Errorf("%d documents: range %v does not follow %v", documents, r, ranges[n-1])
			}
			if docs := r.Documents(job); docs != nil {
				total += *docs
			}
			names[r.Name()] = true
		}
		if total != int64(documents) || len(names) != len(ranges) {
			t.Errorf("the %d ranges of %d documents have %d, and %d names", len(ranges), documents, total, len(names))
		}
	}
}

// A range with another end has another job: the one that is under way keeps its end.
func TestNamesOfRanges(t *testing.T) {
	var names []string
	for _, r := range append(plan.Ranges(501, 250), plan.Ranges(260, 250)...) {
		names = append(names, r.Name())
	}
	want := []string{"00001-00250", "00251-00500", "00501-", "00001-00250", "00251-"}
	testkit.Same(t, "names", want, names)
}

func TestNewestUpdate(t *testing.T) {
	t.Parallel()
	now := time.Now()
	relations := []plan.Relation{{Updated: now.Add(-time.Hour)}, {Updated: now}, {Updated: now.Add(-time.Minute)}}
	if got := plan.NewestUpdate(relations); !got.Equal(now) {
		t.Errorf("the newest is %v, want %v", got, now)
	}
	if got := plan.NewestUpdate(nil); !got.IsZero() {
		t.Errorf("the newest of none is %v", got)
	}
}

// At a capacity of 500 an index document might have 750 KB of the longest ids.
// With Firebase's it has 14 KB, and 59 relations share a transaction.
func TestPlansAreByRealSize(t *testing.T) {
	t.Parallel()
	const capacity = 500
	copied := map[string]any{schema.FieldCreatedAt: time.Time{}}
	planned := func(capacity, idBytes int) plan.Planned {
		return plan.PlannedFor(schema.Config{NoOwnPosts: true, Capacity: capacity}, strings.Repeat("p", 20), copied, min(capacity*idBytes, schema.DefaultFollowersBytes))
	}
	if got := planned(capacity, schema.TypicalIDBytes); got.Create < 59 || got.Refresh < 59 || got.Drop < 59 {
		t.Errorf("%+v, want at least {59 59 59}", got)
	}
	for _, capacity := range []int{1, capacity, schema.DefaultCapacity} {
		last := plan.Planned{Create: 1 << 30, Refresh: 1 << 30, Drop: 1 << 30}
		for idBytes := 2; idBytes <= schema.MaxIDBytes+1; idBytes++ {
			got := planned(capacity, idBytes)
			if got.Create > last.Create || got.Refresh > last.Refresh || got.Drop > last.Drop || got.Create < 1 {
				t.Fatalf("capacity %d: with ids of %d bytes %+v, with shorter ones %+v", capacity, idBytes, got, last)
			}
			last = got
		}
	}
}

// However small the documents before were, those that are read next have room
// in memory if each is full.
func TestCopiesAreReadWithinTheirMemory(t *testing.T) {
	t.Parallel()
	for _, o := range []schema.Config{{NoOwnPosts: true, Capacity: 1}, {NoOwnPosts: true, Capacity: 500}, {NoOwnPosts: true}} {
		o = o.WithDefaults()
		for _, before := range []plan.Copies{
			{},
			{Indexes: 1, IDs: 2, Transaction: 100},
			{Indexes: 50, IDs: 100, Transaction: 1000},
			{Indexes: 3, IDs: 6 * o.FullBytes(), Transaction: schema.TransactionLimit / 2},
			{Indexes: 1, IDs: schema.MemoryBudget, Transaction: schema.TransactionLimit},
		} {
			got := before.Next(o, []string{"p"}, schema.MemoryBudget)
			if got < 1 || got > 1 && before.IDs+got*o.FullBytes() > schema.MemoryBudget {
				t.Errorf("capacity %d, after %+v: reads %d of at most %d bytes, may hold %d", o.Capacity, before, got, o.FullBytes(), schema.MemoryBudget)
			}
		}
	}
}
