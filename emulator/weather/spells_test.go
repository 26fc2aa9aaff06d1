//go:build long

package weather_test

import (
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/emulator/weather"
)

// Calls fail in bursts, whose error alternates, and succeed between them.
func TestSpells(t *testing.T) {
	t.Parallel()
	w := under(t, weather.Options{Spells: weather.Spells{Share: 1, Length: 10 * time.Second, Pause: time.Minute}, Scale: 0.1})
	query := func() error {
		s, err := w.raw.RunQuery(t.Context(), &pb.RunQueryRequest{Parent: w.database() + "/documents", QueryType: &pb.RunQueryRequest_StructuredQuery{
			StructuredQuery: &pb.StructuredQuery{From: []*pb.StructuredQuery_CollectionSelector{{CollectionId: "c"}}}}})
		if err == nil {
			_, err = s.Recv()
		}
		return err
	}
	begun, err := w.raw.BeginTransaction(t.Context(), &pb.BeginTransactionRequest{Database: w.database()})
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []struct {
		after time.Duration
		want  codes.Code
	}{{0, codes.OK}, {5999 * ms, codes.OK}, {ms, codes.Unavailable}, {999 * ms, codes.Unavailable}, {ms, codes.OK}, {6 * time.Second, codes.ResourceExhausted}, {time.Second, codes.OK}, {6 * time.Second, codes.Unavailable}} {
		w.clock.advance(at.after)
		since := w.clock.now().String()
		wantCode(t, "commit at "+since, w.write(t, "c/d"), at.want)
		wantCode(t, "query at "+since, query(), at.want)
	}
	if _, err := w.raw.Rollback(t.Context(), &pb.RollbackRequest{Database: w.database(), Transaction: begun.GetTransaction()}); err != nil {
		t.Errorf("a rollback in a spell: %v", err)
	}
	if got := w.Counts().Spells; got != 8 {
		t.Errorf("%d calls counted, want 8", got)
	}
}

// A share of the calls in a burst of errors fails: with one seed the same ones, if the calls come one after the other.
func TestShareOfASpell(t *testing.T) {
	t.Parallel()
	fates := func(seed uint64) (failed int, all string) {
		w := under(t, weather.Options{Spells: weather.Spells{Share: 0.3, Length: time.Second}, Seed: seed})
		for range 300 {
			if status.Code(w.write(t, "c/d")) == codes.Unavailable {
				failed++
				all += "x"
			} else {
				all += "."
			}
		}
		return failed, all
	}
	failed, first := fates(1)
	if failed < 60 || failed > 120 {
		t.Errorf("%d of 300 calls failed, want about 90", failed)
	}
	if _, again := fates(1); again != first {
		t.Errorf("the same seed failed others:\n%s\n%s", first, again)
	}
	if _, another := fates(2); another == first {
		t.Error("another seed failed the same")
	}
}
