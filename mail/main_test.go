package mail_test

import (
	"slices"
	"strings"
	"testing"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// readOf matches a read of a document.
func readOf(path string) func(any) bool {
	return func(req any) bool {
		get, ok := req.(*pb.BatchGetDocumentsRequest)
		return ok && slices.ContainsFunc(get.GetDocuments(), func(name string) bool { return strings.HasSuffix(name, "/documents/"+path) })
	}
}

// writesMail matches a commit that writes mail.
func writesMail(req any) bool {
	commit, ok := req.(*pb.CommitRequest)
	return ok && slices.ContainsFunc(commit.GetWrites(), func(w *pb.Write) bool {
		return strings.Contains(w.GetUpdate().GetName(), "/documents/mail/")
	})
}
