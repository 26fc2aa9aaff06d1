package estimate_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/prices/estimate"
	"example.com/relationindex/schema"
)

func listPrices() estimate.Prices { return estimate.ListPrices[estimate.DefaultLocation] }

func reportOf(t *testing.T, in estimate.Inputs) estimate.Report {
	t.Helper()
	r, err := in.Estimate(listPrices())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// 20,000,000 followers are 2,000 relations: one write each, and the job's own.
func TestTwentyMillionFollowersAreTwoThousandRelations(t *testing.T) {
	in := estimate.Defaults(20_000_000)
	r := reportOf(t, in)
	if r.IndexDocuments != 2000 {
		t.Errorf("%d index documents, want 2000", r.IndexDocuments)
	}
	post := r.Operations[0].Costs
	// Each of 8 jobs is enqueued, claimed and ended.
	if got := post[estimate.ByClients].Writes; got != 2000+1+8*3 {
		t.Errorf("a post makes %v writes, want 2000 relations, the post, and 24 of the jobs", got)
	}
	if got := post[estimate.OnWrite].Writes; got != 20_000_001+3 {
		t.Errorf("fan-out on write makes %v writes, want one for each follower, the post, and 3 of the job", got)
	}
}

// Fan-out on write is timelines of items, alone and without a cap, whatever else is asked.
func TestFanOutOnWriteIsTimelinesOfItems(t *testing.T) {
	in := estimate.Defaults(3_000)
	in.Layout = schema.LayoutItems
	want := reportOf(t, in)
	in.Layout, in.Cap, in.RelationsOff, in.Horizon = schema.LayoutBuckets, 500, false, 20*24*time.Hour
	got := reportOf(t, in)
	for n, month := range want.Months {
		if month.Design == estimate.ByTimeline {
			month.Design = estimate.OnWrite
			if diff := cmp.Diff(month, got.Months[slices.Index(estimate.Designs, estimate.OnWrite)]); diff != "" {
				t.Errorf("month %d (-want +got):\n%s", n, diff)
			}
		}
	}
}

// The page is the design's weak point: clients load whole relations.
func TestAPageOfFullRelationsIsMegabytes(t *testing.T) {
	in := estimate.Defaults(20_000_000)
	if got := in.RelationPage(); got < 6.5e6 || got > 6.7e6 {
		t.Errorf("a page of 20 full relations has %.0f bytes, want 6.6 million", got)
	}
	if got := in.EntryPage(); got > 20*1000 {
		t.Errorf("a page of 20 relations without followers has %.0f bytes", got)
	}
}

// Numbers known from Firestore's documentation and from the count of an index
// entry by hand: an array of 10,000 ids of 28 bytes is 290,000 bytes, its entries
// in the feed's index are 123 bytes each.
func TestStorageOfAFullRelation(t *testing.T) {
	in := estimate.Defaults(10_000)
	in.KeptPosts, in.CopiedBytes = 0, 0
	without := reportOf(t, in)
	in.KeptPosts = 1
	with := reportOf(t, in)
	const post = 43 + (7 + 29) + (10 + 8) + 5 + (9 + 29) + (7 + 1) + 32 // posts/{20}: name, userId, createdAt, text, audience, hidden, what a document takes
	relation := with.Months[0].Usage.Storage.Bytes - without.Months[0].Usage.Storage.Bytes - post
	const want = 54 + 32 + (10 + 290_000) + (7 + 21) + (7 + 29) + (9 + 29) + (8 + 6) + (13 + 8) + (10 + 8) + (10 + 8) + 5
	if relation != want {
		t.Errorf("a relation has %.0f bytes, want %d", relation, want)
	}
	worst := with.WorstStorage.IndexBytes - with.Months[0].Usage.Storage.IndexBytes
	if entry := worst / 10_000; entry != 54+29+8+32 {
		t.Errorf("an entry of the feed's index has %v bytes, want 123", entry)
	}
}
