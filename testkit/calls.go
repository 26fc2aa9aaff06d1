package testkit

import (
	"strings"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
)

// CommitOf matches a commit that writes or deletes a document whose path begins with prefix.
func CommitOf(prefix string) func(any) bool {
	return func(req any) bool {
		commit, ok := req.(*pb.CommitRequest)
		if !ok {
			return false
		}
		for _, w := range commit.GetWrites() {
			if name := w.GetUpdate().GetName() + w.GetDelete(); strings.Contains(name, "/documents/"+prefix) {
				return true
			}
		}
		return false
	}
}

// ReadOf matches a read of a document by name, in a transaction.
func ReadOf(document string) func(any) bool {
	return func(req any) bool {
		get, ok := req.(*pb.BatchGetDocumentsRequest)
		if !ok || get.GetTransaction() == nil {
			return false
		}
		for _, name := range get.GetDocuments() {
			if strings.HasSuffix(name, "/documents/"+document) {
				return true
			}
		}
		return false
	}
}

// QueryOf matches a query over a collection.
func QueryOf(collection string) func(any) bool {
	return func(req any) bool {
		query, ok := req.(*pb.RunQueryRequest)
		return ok && query.GetStructuredQuery().GetFrom()[0].GetCollectionId() == collection
	}
}

// DeleteOf matches a commit whose first write deletes the document.
func DeleteOf(document string) func(any) bool {
	return func(req any) bool {
		commit, ok := req.(*pb.CommitRequest)
		return ok && len(commit.GetWrites()) > 0 && strings.HasSuffix(commit.GetWrites()[0].GetDelete(), "/documents/"+document)
	}
}
