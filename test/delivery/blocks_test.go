//go:build long

package delivery

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"example.com/relationindex/functions"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit"
)

// onBlock returns the deployed handler of blocks, over an index whose engine the suite runs. No account has a limit.
func onBlock(t *testing.T, x *social.System) func(context.Context, string, string, time.Time, bool) error {
	cfg := x.DB.Config
	cfg.Project, _, _ = strings.Cut(strings.TrimPrefix(x.DB.Relations().Path, "projects/"), "/")
	cfg.AccountHour = 0
	h, err := functions.Over(x, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, account, other string, at time.Time, begins bool) error {
		doc := &firestoredata.Document{Name: x.DB.Block(account, other).Path, CreateTime: timestamppb.New(at), UpdateTime: timestamppb.New(at)}
		change := &firestoredata.DocumentEventData{OldValue: doc}
		if begins {
			change = &firestoredata.DocumentEventData{Value: doc}
		}
		data, err := proto.Marshal(change)
		if err != nil {
			return err
		}
		return h.OnBlockWritten(ctx, testkit.FirestoreEvent(t, data))
	}
}
