package relations

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/type/latlng"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/runtime/names"
)

func TestRelationID(t *testing.T) {
	for _, c := range []struct{ post, want string }{
		{"4fGh", "4fGh_00001"},
		{"a_b", "a_b_00001"},
		{"a_00001", "8vcrwjJLbeo9lURnW1l5ENV0YfcKx2hzWDmbkDsG6g4_00001"},
		{strings.Repeat("p", 64), strings.Repeat("p", 64) + "_00001"},
	} {
		if got := relationID(c.post, "00001"); got != c.want {
			t.Errorf("relationID(%q) = %q, want %q", c.post, got, c.want)
		}
	}
	longest := relationID(strings.Repeat("p", 1500), "00001")
	if err := CheckID(longest); err != nil || len(longest) != 49 {
		t.Errorf("the relation id of the longest post id is %q: %v", longest, err)
	}
	if longest == relationID(strings.Repeat("p", 1499), "00001") {
		t.Error("two long post ids have the same relation id")
	}
}

func TestIndexNumbersSortInOrder(t *testing.T) {
	last := ""
	for n := 1; n < 99_999; n += 7 {
		id := indexID(n)
		if id <= last {
			t.Fatalf("%q does not come after %q", id, last)
		}
		last = id
	}
}

func TestCheckID(t *testing.T) {
	for id, ok := range map[string]bool{
		"a": true, "with space": true, "日本": true, "__a": true, "a__": true, strings.Repeat("x", 1500): true,
		"": false, ".": false, "..": false, "a/b": false, "__a__": false, "\xff": false, strings.Repeat("x", 1501): false,
	} {
		if err := CheckID(id); (err == nil) != ok {
			t.Errorf("CheckID(%.20q) = %v", id, err)
		}
	}
}

func TestPlanPost(t *testing.T) {
	fields := map[string]any{"createdAt": since, "tags": []any{"x"}}
	post := &postState{id: "p", author: "u", fields: fields}
	relation := func(index, author string, fields map[string]any) relationMeta {
		return relationMeta{indexID: index, userID: author, fields: fields}
	}
	same := map[string]any{"createdAt": since.In(time.FixedZone("", 3600)), "tags": []any{"x"}}
	for _, c := range []struct {
		name                  string
		post                  *postState
		indexes               []string
		relations             []relationMeta
		create, refresh, drop []string
	}{
		{"a new post", post, []string{"1", "2"}, nil, []string{"1", "2"}, nil, nil},
		{"nothing has changed", post, []string{"1"}, []relationMeta{relation("1", "u", same)}, nil, nil, nil},
		{"an edit", post, []string{"1"}, []relationMeta{relation("1", "u", map[string]any{"createdAt": since})}, nil, []string{"1"}, nil},
		{"gone", nil, nil, []relationMeta{relation("1", "u", same)}, nil, nil, []string{"1"}},
		{"another author with fewer documents", post, []string{"1"}, []relationMeta{relation("1", "v", same), relation("2", "v", same)}, []string{"1"}, nil, []string{"2"}},
		{"half done", post, []string{"1", "2", "3"}, []relationMeta{relation("2", "u", same)}, []string{"1", "3"}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan := planPost(c.post, c.indexes, c.relations)
			names := func(metas []relationMeta) (out []string) {
				for _, m := range metas {
					out = append(out, m.indexID)
				}
				return out
			}
			got := [][]string{plan.create, names(plan.refresh), names(plan.drop)}
			if diff := cmp.Diff([][]string{c.create, c.refresh, c.drop}, got); diff != "" {
				t.Errorf("create, refresh, drop (-want +got):\n%s", diff)
			}
		})
	}
}

func array(n int) []any {
	values := make([]any, n)
	for i := range values {
		values[i] = strconv.Itoa(i)
	}
	return values
}

func emptyMaps(n int) []any {
	values := make([]any, n)
	for i := range values {
		values[i] = map[string]any{}
	}
	return values
}

func TestCopiedFields(t *testing.T) {
	created := since.Add(time.Hour)
	for _, c := range []struct {
		name string
		data map[string]any
		want map[string]any
	}{
		{"configured fields and the time", map[string]any{"text": "x", "createdAt": since, "other": 1}, map[string]any{"text": "x", "createdAt": since}},
		{"no time", map[string]any{"text": "x"}, map[string]any{"text": "x", "createdAt": created}},
		{"a time that is none", map[string]any{"createdAt": "today"}, map[string]any{"createdAt": created}},
		{"too large to copy", map[string]any{"text": strings.Repeat("x", maxCopiedBytes), "createdAt": since}, map[string]any{"createdAt": since}},
		{"an array that is large", map[string]any{"text": array(maxCopiedEntries/2 - 10), "createdAt": since}, map[string]any{"text": array(maxCopiedEntries/2 - 10), "createdAt": since}},
		{"too many index entries", map[string]any{"text": array(maxCopiedEntries / 2), "createdAt": since}, map[string]any{"createdAt": since}},
		{"too many in a map", map[string]any{"text": map[string]any{"a": array(maxCopiedEntries / 4), "b": array(maxCopiedEntries / 4)}, "createdAt": since}, map[string]any{"createdAt": since}},
		{"empty maps, which take bytes too", map[string]any{"text": emptyMaps(maxCopiedBytes / 32), "createdAt": since}, map[string]any{"createdAt": since}},
		{"a vector that is too large", map[string]any{"text": make(firestore.Vector64, maxCopiedBytes/8), "createdAt": since}, map[string]any{"createdAt": since}},
		{"what cannot be decoded", map[string]any{"text": undecodable{}, "createdAt": since}, map[string]any{"createdAt": since}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, copiedFields(c.data, created, []string{"text"})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The largest relation that the limits let be stays below Firestore's.
func TestLimitsFitFirestore(t *testing.T) {
	if total := maxFollowersBytes + maxChangesBytes + maxCopiedBytes; total >= maxDocumentBytes {
		t.Errorf("followers, changes and copied fields may take %d bytes, a document %d", total, maxDocumentBytes)
	}
	if entries := 2*DefaultCapacity + 100; entries > 40_000 {
		t.Errorf("%d index entries, a document may have 40,000", entries)
	}
	const transaction = 10 << 20
	o := Options{}.withDefaults()
	if got := fullRelationBytes(o, relationID(strings.Repeat("p", maxPlainID), "00001")); got > transactionBytes {
		t.Errorf("the largest relation takes %d bytes of a transaction, planned are %d", got, transactionBytes)
	}
	if transactionLimit+3*maxCopiedBytes > transaction {
		t.Errorf("a transaction may take %d bytes, ours go up to %d and what one post copies", transaction, transactionLimit)
	}
}

// As the page "Storage size calculations" of Firestore's documentation has them.
func TestValueBytes(t *testing.T) {
	for _, tt := range []struct {
		value any
		want  int
	}{
		{"ab", 3},
		{[]byte("ab"), 2},
		{nil, 1},
		{true, 1},
		{int64(1), 8},
		{time.Time{}, 8},
		{&latlng.LatLng{}, 16},
		{[]any{"ab", int64(1), []any{}}, 11},
		{map[string]any{"tags": []any{"a", "b"}, "n": 1.5}, 32 + 5 + 4 + 2 + 8},
		{[]any{map[string]any{}, map[string]any{}}, 64},
		{firestore.Vector64{1, 2}, 96 + 16},
	} {
		if got := valueBytes(tt.value); got != tt.want {
			t.Errorf("%v takes %d bytes, want %d", tt.value, got, tt.want)
		}
	}
}

// Three relations of 10,000 Firebase user ids share a transaction; of small
// ones hundreds do, and of the largest each has its own.
func TestRelationsShareTransactionsByTheirBytes(t *testing.T) {
	o := Options{}.withDefaults()
	client := new(firestore.Client)
	of := func(n, size int, copied string) (relations []relationMeta) {
		for i := range n {
			ref := client.Collection("_relations").Doc(relationID(strings.Repeat("p", 20), indexID(i+1)))
			relations = append(relations, relationMeta{ref: ref, size: size, fields: map[string]any{"text": copied}})
		}
		return relations
	}
	for _, c := range []struct {
		name      string
		relations []relationMeta
		want      []int
	}{
		{"none", nil, nil},
		{"full", of(7, 10_000*29, ""), []int{3, 3, 1}},
		{"as large as can be", of(3, DefaultFollowersBytes, ""), []int{2, 1}},
		{"of unknown size", of(3, 0, ""), []int{2, 1}},
		{"of a size that cannot be", of(3, -1, ""), []int{2, 1}},
		{"of one id", of(700, 29, ""), []int{700}},
		{"of one id and long texts", of(60, 29, strings.Repeat("x", maxCopiedBytes-8)), []int{22, 22, 16}},
		{"mixed", append(of(2, 10_000*29, ""), of(1, DefaultFollowersBytes, "")...), []int{2, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []int
			for _, part := range packed(c.relations, func(r relationMeta) int { return bytesIn(o, r) }) {
				got = append(got, len(part))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("relations in each transaction (-want +got):\n%s", diff)
			}
		})
	}
}

// The number of lanes grows with the work, and every index document is in one.
func TestSplits(t *testing.T) {
	for documents, want := range map[int]int{0: 0, 1: 0, 250: 0, 251: 1, 2_000: 7, 24_999: 99, 90_000: 99} {
		ids := splits(documents, DefaultLane)
		if len(ids) != want || !slices.IsSorted(ids) {
			t.Errorf("%d documents: %d splits %v, want %d", documents, len(ids), ids, want)
		}
		total := int64(0)
		for n := range len(ids) + 1 {
			lane := &chunker.Lane{}
			if n > 0 {
				lane.From = ids[n-1]
			}
			if n < len(ids) {
				lane.To = ids[n]
			}
			if docs := documentsOf(chunker.Job{Lane: lane, Args: map[string]string{argDocuments: strconv.Itoa(documents)}}); docs != nil {
				total += *docs
			}
		}
		if total != int64(documents) {
			t.Errorf("the lanes of %d documents have %d", documents, total)
		}
	}
}

func TestOptionsValidate(t *testing.T) {
	if err := (Options{}).Validate(); err != nil {
		t.Errorf("the default is refused: %v", err)
	}
	for name, o := range map[string]Options{
		"capacity -1: must be 1 to 10000":   {Capacity: -1},
		"capacity 10001":                    {Capacity: 10_001},
		"followers bytes 100: must be 1501": {FollowersBytes: 100},
		"inline limit -1":                   {InlineLimit: -1},
		"parallel -1":                       {Parallel: -1},
		`copied field "userId"`:             {CopiedFields: []string{"userId"}},
		`copied field "text"`:               {CopiedFields: []string{"text", "text"}},
		"collection: id contains a slash":   {Collections: names.Collections{Posts: "a/b"}},
	} {
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%+v: %v, want an error that says %q", o, err, name)
		}
	}
}

func TestTheNewestUpdateOfRelations(t *testing.T) {
	t.Parallel()
	now := time.Now()
	relations := []relationMeta{{updated: now.Add(-time.Hour)}, {updated: now}, {updated: now.Add(-time.Minute)}}
	if got := newestUpdate(relations); !got.Equal(now) {
		t.Errorf("the newest is %v, want %v", got, now)
	}
	if got := newestUpdate(nil); !got.IsZero() {
		t.Errorf("the newest of none is %v", got)
	}
}
