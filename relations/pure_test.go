package relations

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRelationID(t *testing.T) {
	for _, c := range []struct{ post, want string }{
		{"4fGh", "4fGh_00001"},
		{"a_00001", "a_00001_00001"},
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
	if got := perTransaction(10_000, 290_000); got < 1 || got*relationBytes(10_000, 290_000) > transactionLimit {
		t.Errorf("%d relations of 10,000 ids in a transaction", got)
	}
	if got := perTransaction(1, 29); got < 100 {
		t.Errorf("%d relations of one id in a transaction, want at least 100", got)
	}
}

func TestOptionsValidate(t *testing.T) {
	if err := (Options{}).Validate(); err != nil {
		t.Errorf("the default is refused: %v", err)
	}
	for name, o := range map[string]Options{
		"capacity -1: must be 1 to 10000":             {Capacity: -1},
		"capacity 10001":                              {Capacity: 10_001},
		"followers bytes 100: must be 1501":           {FollowersBytes: 100},
		"inline limit -1":                             {InlineLimit: -1},
		"parallel -1":                                 {Parallel: -1},
		`copied field "userId"`:                       {CopiedFields: []string{"userId"}},
		`copied field "text"`:                         {CopiedFields: []string{"text", "text"}},
		"collection: id contains a slash":             {Collections: Collections{Posts: "a/b"}},
		"batch timeout -1ns: must be positive":        {BatchTimeout: -1},
		"must be positive and shorter than the batch": {SyncPace: time.Hour},
	} {
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%+v: %v, want an error that says %q", o, err, name)
		}
	}
}
