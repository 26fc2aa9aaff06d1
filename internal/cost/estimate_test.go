package cost_test

import (
	"math"
	"testing"

	"example.com/relationindex/internal/cost"
)

func prices() cost.Prices { return cost.ListPrices[cost.DefaultLocation] }

func estimate(t *testing.T, in cost.Inputs) cost.Report {
	t.Helper()
	r, err := in.Estimate(prices())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func total(t *testing.T, in cost.Inputs, design string) float64 {
	t.Helper()
	for _, m := range estimate(t, in).Months {
		if m.Design == design {
			return m.Bill.Total
		}
	}
	t.Fatalf("no design %q", design)
	return 0
}

// 20,000,000 followers are 2,000 relations: one write each, and the job's own.
func TestTwentyMillionFollowersAreTwoThousandRelations(t *testing.T) {
	in := cost.Defaults(20_000_000)
	r := estimate(t, in)
	if r.IndexDocuments != 2000 {
		t.Errorf("%d index documents, want 2000", r.IndexDocuments)
	}
	post := r.Operations[0].Costs
	// The parent; and of each of 8 lanes the start, pages of 42 relations, and its report.
	if got := post[cost.ByClients].Writes; got != 2000+1+1+8*(2+6+1) {
		t.Errorf("a post makes %v writes, want 2000 relations, the post, and 73 of the job", got)
	}
	if got := post[cost.OnWrite].Writes; got != 20_000_001 {
		t.Errorf("fan-out on write makes %v writes, want one for each follower and the post", got)
	}
}

// The page is the design's weak point: clients load whole relations.
func TestAPageOfFullRelationsIsMegabytes(t *testing.T) {
	in := cost.Defaults(20_000_000)
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
	in := cost.Defaults(10_000)
	in.KeptPosts, in.CopiedBytes = 0, 0
	without := estimate(t, in)
	in.KeptPosts = 1
	with := estimate(t, in)
	const post = 43 + (7 + 29) + (10 + 8) + 5 + 32 // posts/{20}: name, userId, createdAt, text, what a document takes
	relation := with.Months[0].Usage.Storage.Bytes - without.Months[0].Usage.Storage.Bytes - post
	const want = 54 + 32 + (10 + 290_000) + (7 + 21) + (7 + 29) + (8 + 6) + (13 + 8) + (10 + 8) + (10 + 8) + 5
	if relation != want {
		t.Errorf("a relation has %.0f bytes, want %d", relation, want)
	}
	worst := with.WorstStorage.IndexBytes - with.Months[0].Usage.Storage.IndexBytes
	if entry := worst / 10_000; entry != 54+29+8+32 {
		t.Errorf("an entry of the feed's index has %v bytes, want 123", entry)
	}
}

// At a crossing the bills are equal, and on its sides they are not.
func TestCrossings(t *testing.T) {
	in := cost.Defaults(2_000_000)
	found := 0
	for _, c := range estimate(t, in).Crossings {
		if c.FeedReads != nil {
			found++
			at := in
			at.FeedReads = *c.FeedReads
			a, b := total(t, at, c.Design), total(t, at, c.Beside)
			if math.Abs(a-b) > 1e-6*b {
				t.Errorf("%s beside %s at %v feed reads: %v and %v USD", c.Design, c.Beside, *c.FeedReads, a, b)
			}
			at.FeedReads /= 2
			if less := total(t, at, c.Design) < total(t, at, c.Beside); less != c.Below {
				t.Errorf("%s beside %s with half the feed reads: costs less is %v, want %v", c.Design, c.Beside, less, c.Below)
			}
		}
		less := func(f int64) bool {
			at := cost.Defaults(f) // whose rates grow with the followers
			return total(t, at, c.Design) < total(t, at, c.Beside)
		}
		for _, r := range c.Cheaper {
			found++
			if !less(r.From) || !less(r.To) || r.From > 1 && less(r.From-1) || r.To < 999_990_000 && less(r.To+1) {
				t.Errorf("%s beside %s: not exactly the range %v", c.Design, c.Beside, r)
			}
		}
	}
	if found < 5 {
		t.Errorf("%d crossings: too few to say anything", found)
	}
}

func TestTheCheapestCapacityIsCheaper(t *testing.T) {
	in := cost.Defaults(1_000_000)
	r := estimate(t, in)
	in.Capacity = r.CheapestCapacity
	if got := total(t, in, cost.ByClients); got != r.CheapestTotal || got >= r.Months[0].Bill.Total {
		t.Errorf("capacity %d costs %v, said %v; the default %v", in.Capacity, got, r.CheapestTotal, r.Months[0].Bill.Total)
	}
}
