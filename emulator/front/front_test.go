package front

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"google.golang.org/grpc/codes"
)

func TestDatabaseOf(t *testing.T) {
	const grpc = "application/grpc+proto"
	for name, tt := range map[string]struct {
		target, contentType, header, value string
		want                               [2]string
	}{
		"REST":             {target: "/v1/projects/demo-a/databases/(default)/documents/users/ada", want: [2]string{"demo-a", "(default)"}},
		"REST, encoded":    {target: "/v1/projects/demo-a/databases/%28default%29/documents:commit", want: [2]string{"demo-a", "(default)"}},
		"clear":            {target: "/emulator/v1/projects/demo-a/databases/blue/documents", want: [2]string{"demo-a", "blue"}},
		"WebChannel":       {target: "/google.firestore.v1.Firestore/Listen/channel?VER=8&database=projects%2Fdemo-a%2Fdatabases%2F(default)&RID=1", want: [2]string{"demo-a", "(default)"}},
		"an SDK":           {"/google.firestore.v1.Firestore/Listen", grpc, prefixHeader, "projects/demo-a/databases/(default)", [2]string{"demo-a", "(default)"}},
		"another client":   {"/google.firestore.v1.Firestore/Commit", grpc, paramsHeader, "database=projects%2Fdemo-a%2Fdatabases%2F%28default%29", [2]string{"demo-a", "(default)"}},
		"its document":     {"/google.firestore.v1.Firestore/GetDocument", grpc, paramsHeader, "name=projects/demo-a/databases/blue/documents/users/ada", [2]string{"demo-a", "blue"}},
		"none":             {target: "/"},
		"gRPC without":     {target: "/google.firestore.v1.Firestore/Listen", contentType: grpc},
		"nonsense":         {"/", grpc, paramsHeader, "%", [2]string{}},
		"no database":      {target: "/emulator/v1/projects/demo-a:export"},
		"a path in a path": {target: "/v1/projects/a/b/databases/c"},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, tt.target, nil)
			r.Header.Set("Content-Type", tt.contentType)
			r.Header.Set(tt.header, tt.value)
			project, database, ok := databaseOf(r)
			if got := [2]string{project, database}; ok != (tt.want[0] != "") || ok && got != tt.want {
				t.Errorf("%q, %v; want %q", got, ok, tt.want)
			}
		})
	}
}

func TestRefuse(t *testing.T) {
	for contentType, want := range map[string]int{"application/grpc": http.StatusOK, "application/json": http.StatusBadRequest} {
		r, w := httptest.NewRequest(http.MethodPost, "/", nil), httptest.NewRecorder()
		r.Header.Set("Content-Type", contentType)
		r.ProtoMajor = 2
		refuse(w, r, codes.FailedPrecondition, errors.New("no more, 100% full"))
		if w.Code != want {
			t.Errorf("%s: status %d, want %d", contentType, w.Code, want)
		}
		if got := w.Header().Get("Grpc-Message"); want == http.StatusOK && got != "no%20more%2C%20100%25%20full" {
			t.Errorf("the message is %q", got)
		}
	}
}
