package guard_test

import (
	"context"
	"testing"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Behind a guard, Entries returns the guard's count, and reads no documents: it needs no emulator.
func TestEntriesBehindAGuard(t *testing.T) {
	t.Parallel()
	g := parse(t, `{}`)
	conn, err := grpc.NewClient("passthrough:///127.0.0.1:1", grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	create := func(id string, values int) *pb.Write {
		fields := map[string]*pb.Value{}
		for i := range values {
			fields[string(rune('a'+i))] = &pb.Value{ValueType: &pb.Value_BooleanValue{}}
		}
		return &pb.Write{
			Operation:       &pb.Write_Update{Update: &pb.Document{Name: "projects/p/databases/(default)/documents/c/" + id, Fields: fields}},
			CurrentDocument: &pb.Precondition{ConditionType: &pb.Precondition_Exists{}},
		}
	}
	writes := []*pb.Write{create("1", 3), create("2", 5)}
	for _, test := range []struct {
		req  any
		want int
	}{
		{&pb.CommitRequest{Database: "projects/p/databases/(default)", Writes: writes}, 16},     // two for each value
		{&pb.BatchWriteRequest{Database: "projects/p/databases/(default)", Writes: writes}, 10}, // the larger write
		{&pb.BeginTransactionRequest{Database: "projects/p/databases/(default)"}, 0},
	} {
		err := g.Unary(t.Context(), "", test.req, nil, conn, func(ctx context.Context, _ string, req, _ any, cc *grpc.ClientConn, _ ...grpc.CallOption) error {
			n, err := parse(t, `{"fieldOverrides": [{"collectionGroup": "c", "fieldPath": "*", "indexes": []}]}`).Limits.Entries(ctx, cc.Target(), req)
			if n != test.want {
				t.Errorf("%T: %d entries, want %d", req, n, test.want)
			}
			return err
		})
		if err != nil {
			t.Errorf("%T: %v", test.req, err)
		}
	}
}
