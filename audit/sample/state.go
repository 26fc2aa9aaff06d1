package sample

import (
	"context"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Document returns _settings/sample.
func Document(client *firestore.Client) *firestore.DocumentRef {
	return client.Collection(names.SystemSettings).Doc("sample")
}

// Round is the progress of a round over all accounts.
type Round struct {
	After    string    `firestore:"after" json:"-"` // the last account; "": the next call begins a round
	Number   int64     `firestore:"round" json:"round"`
	Began    time.Time `firestore:"began" json:"began"`
	Accounts int64     `firestore:"accounts" json:"accounts"` // number of accounts when it began
	Checked  int64     `firestore:"checked" json:"checked"`
	Reads    int64     `firestore:"reads" json:"reads"` // for these
}

// ReadsOfAll estimates the number of documents that the whole round reads; 0: unknown yet.
func (r Round) ReadsOfAll() int64 {
	if r.Checked == 0 {
		return 0
	}
	return int64(float64(r.Reads) / float64(r.Checked) * float64(max(r.Accounts, r.Checked)))
}

// begin reads the brake and the progress of the round. If no round is under way, or the document is invalid, it begins
// a round.
func (r *run) begin(ctx context.Context) error {
	docs, err := r.DB.Client.GetAll(ctx, []*firestore.DocumentRef{schema.BrakeDocument(r.DB.Client), Document(r.DB.Client)})
	if err != nil {
		return err
	}
	if r.done.Braked = docs[0].Exists(); r.done.Braked {
		return nil
	}
	if docs[1].Exists() && docs[1].DataTo(&r.done.Round) != nil {
		r.done.Round = Round{}
	}
	if r.done.Round.After != "" {
		return nil
	}
	n, err := bulk.Count(ctx, r.accounts())
	r.done.Round = Round{Number: r.done.Round.Number + 1, Began: docs[0].ReadTime, Accounts: n}
	return err
}

// accounts returns the query of all accounts.
func (r *run) accounts() firestore.Query {
	return r.DB.Client.Collection(r.DB.Config.Collections().Users).Select()
}

// store stores the progress of the round. After a crash before it, the next call checks the same accounts.
func (r *run) store(ctx context.Context) error {
	_, err := Document(r.DB.Client).Set(ctx, r.done.Round)
	return err
}
