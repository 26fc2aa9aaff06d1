package weather

import (
	"slices"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/posts"
	"example.com/relationindex/relations/plan"
	"example.com/relationindex/schema"
)

func update(document string, fields map[string]*pb.Value) *pb.Write {
	return &pb.Write{Operation: &pb.Write_Update{Update: &pb.Document{Name: "projects/p/databases/d/documents/" + document, Fields: fields}}}
}

func text(s string) *pb.Value { return &pb.Value{ValueType: &pb.Value_StringValue{StringValue: s}} }

func array(texts ...string) *pb.ArrayValue {
	a := &pb.ArrayValue{}
	for _, s := range texts {
		a.Values = append(a.Values, text(s))
	}
	return a
}

// A reader has found a post at the last commit that they need, which has their id or the post's in any form. A reader who asks
// has found it when their query has.
func TestWatch(t *testing.T) {
	relation := update("_relations/p1_00002", map[string]*pb.Value{"followers": {ValueType: &pb.Value_ArrayValue{ArrayValue: array("r1", "r2")}}})
	joins := update("users/a/followers_index/00001", nil)
	joins.UpdateTransforms = []*pb.DocumentTransform_FieldTransform{{TransformType: &pb.DocumentTransform_FieldTransform_AppendMissingElements{AppendMissingElements: array("r3")}}}
	bucket := update("users/r4/timeline/open", map[string]*pb.Value{"entries": {ValueType: &pb.Value_MapValue{MapValue: &pb.MapValue{Fields: map[string]*pb.Value{"p1": {}}}}}})
	item := update("users/r5/timeline/p1", map[string]*pb.Value{"post": text("p1")})
	for name, test := range map[string]struct {
		needs  []need
		writes []*pb.Write
	}{
		"a relation":       {[]need{{"_relations/p1", "r1"}}, []*pb.Write{relation}},
		"two relations":    {[]need{{"_relations/p1", "r2"}, {"_relations/p0", "r2"}}, []*pb.Write{relation, update("_relations/p0_00001", map[string]*pb.Value{"followers": {ValueType: &pb.Value_ArrayValue{ArrayValue: array("r2")}}})}},
		"a transformation": {[]need{{"users/a/followers_index", "r3"}}, []*pb.Write{relation, joins}},
		"a bucket":         {[]need{{"users/r4/timeline", "p1"}}, []*pb.Write{joins, bucket}},
		"an item":          {[]need{{"users/r5/timeline", "p1"}}, []*pb.Write{bucket, item}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWatch()
			var asked []*sample
			w.ask = func(s *sample) { asked = append(asked, s) }
			w.begin("kind", "posts/p1", []reader{{needs: test.needs}, {needs: test.needs, asks: true}})
			var ends time.Time
			for n, write := range test.writes {
				if n == len(test.writes)-1 && (!w.samples[0].seen.IsZero() || len(asked) > 0) {
					t.Error("seen before the last write")
				}
				ends = time.Now()
				w.saw(write, ends)
			}
			w.delivered("posts/p1", ends)
			if unseen, all := w.unseen(); unseen != 1 || all != 2 || w.samples[0].seen != ends || len(asked) != 1 || asked[0] != w.samples[1] {
				t.Fatalf("%d of %d are unseen, and %d ask", unseen, all, len(asked))
			}
			w.found(asked[0], ends.Add(time.Second))
			feed, never, bare := timesOf(w.take(), "kind")
			if len(feed) != 2 || feed[1]-feed[0] != time.Second || never != 0 || len(bare) != 1 {
				t.Errorf("times %v, %d never, bare %v", feed, never, bare)
			}
		})
	}
}

func TestFewTimesHaveNoP99(t *testing.T) {
	for n, want := range map[int][]string{0: {"-", "-", "-"}, 99: {"2.00 s", "-", "2.00 s"}, 100: {"2.00 s", "2.00 s", "2.00 s"}} {
		if diff := cmp.Diff(want, times(slices.Repeat([]time.Duration{2 * time.Second}, n)).cells()); diff != "" {
			t.Errorf("of %d (-want +got):\n%s", n, diff)
		}
	}
}

func TestReasons(t *testing.T) {
	counts := map[string]int{}
	for line, n := range map[string]int{
		`{"message":"run","function":"OnPostWritten","outcome":"done","lagMs":70}`:                     9,
		`{"message":"run","function":"OnPostWritten","outcome":"failed","code":"Aborted","lagMs":900}`: 2,
		`{"message":"delivery failed","trigger":"OnPostWritten","status":429}`:                         3,
		`{"message":"run","function":"OnPo`:                                                            1,
		`{"message":"configuration"}`:                                                                  1,
	} {
		if reason, _, _ := reasonOf([]byte(line)); reason != "" {
			counts[reason] += n
		}
	}
	want := []string{"0OnPostWritten: delivery failed, status 429", "0OnPostWritten: failed Aborted", "1OnPostWritten: done OK"}
	if diff := cmp.Diff(want, mostFrequent(counts)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The index document can be stored, and a relation of it cannot, also without copied fields.
func TestRejectedIsJustTooLarge(t *testing.T) {
	a := rejected()
	var followers []any
	for n := range a.all {
		followers = append(followers, a.reader(n))
	}
	size := func(document string, fields map[string]any) int {
		return 16 + len(document) + 1 + schema.ValueBytes(fields)
	}
	index := indexDocument(followers)
	if got := size("users/"+a.id+"/followers_index/00001", index); got > schema.MaxDocumentBytes {
		t.Errorf("the index document has %d bytes", got)
	}
	post := posts.Post{ID: name("post", 1), Author: a.id, Audience: a.id, Fields: map[string]any{"createdAt": time.Now(), "text": "a text"}}
	relation := plan.Data(post.Bare(), schema.IndexDocument{ID: "00001"}, schema.Horizon{})
	relation["followers"] = followers
	if got := size("_relations/"+post.ID+"_00001", relation); got <= schema.MaxDocumentBytes {
		t.Errorf("the relation has %d bytes", got)
	}
	if err := schema.CheckID(a.reader(0)); err != nil {
		t.Error(err)
	}
}
