package emulator_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"
	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"example.com/relationindex/internal/wire"
)

// post sends JSON to the shared emulator as its owner.
func post(ctx context.Context, path, body string) error {
	e, err := started()
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+e.FirestoreHost()+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer owner")
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", path, resp.Status, text)
	}
	return nil
}

// quote is s as JSON.
func quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// received is an event as a function got it.
type received struct {
	id       string
	document string // path of the document, from the body
	value    string // of its field v
	header   http.Header
	body     []byte
}

// receive reads an event from a request as a function does in production.
func receive(tb testing.TB, r *http.Request) received {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		tb.Error(err)
	}
	var data firestoredata.DocumentEventData
	if err := proto.Unmarshal(body, &data); err != nil {
		tb.Errorf("the body is not a DocumentEventData: %v", err)
	}
	name := data.GetValue().GetName()
	if name == "" {
		name = data.GetOldValue().GetName()
	}
	_, document, _ := strings.Cut(name, "/documents/")
	return received{
		id:       r.Header.Get("Ce-Id"),
		document: document,
		value:    data.GetValue().GetFields()["v"].GetStringValue(),
		header:   r.Header,
		body:     body,
	}
}

// open opens a client of a new project of the shared emulator.
func open(tb testing.TB, interceptors ...wire.Interceptor) *firestore.Client {
	return openAt(tb, shared(tb).FirestoreHost(), interceptors...)
}

// openAt opens a client of a new project at a host, such as a proxy's.
func openAt(tb testing.TB, host string, interceptors ...wire.Interceptor) *firestore.Client {
	return openProject(tb, projectOf(tb), host, interceptors...)
}

func openProject(tb testing.TB, project, host string, interceptors ...wire.Interceptor) *firestore.Client {
	tb.Helper()
	c, err := wire.Open(tb.Context(), project, host, interceptors...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close() })
	return c
}

// number returns the field n of a document; 0 if there is no document.
func number(doc *firestore.DocumentSnapshot, err error) (int64, error) {
	if status.Code(err) == codes.NotFound {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n, err := doc.DataAt("n")
	if err != nil {
		return 0, err
	}
	return n.(int64), nil
}
