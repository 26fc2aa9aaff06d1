package chaos

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"sync/atomic"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/wire"
)

// forbiddenWrite is a hostile client's write, as the account u with the post p. Rules must reject it.
type forbiddenWrite struct {
	what string
	do   func(ctx context.Context, c *firestore.Client, u, p string) error
}

var forbiddenWrites = slices.Concat(forbiddenAlone, forbiddenAmongOthers)

// forbiddenAlone are forbidden writes that concern no other account.
var forbiddenAlone = []forbiddenWrite{
	{"createdAt moved", func(ctx context.Context, c *firestore.Client, _, p string) error {
		_, err := c.Doc("posts/"+p).Update(ctx, []firestore.Update{{Path: "createdAt", Value: firestore.ServerTimestamp}})
		return err
	}},
	{"a follow of nobody", func(ctx context.Context, c *firestore.Client, u, p string) error {
		return set(ctx, c, "users/nobody-"+p+"/followers/"+u, now())
	}},
	{"a forged follow", func(ctx context.Context, c *firestore.Client, u, _ string) error {
		return set(ctx, c, "users/"+u+"/followers/somebody", now())
	}},
	{"an index document", func(ctx context.Context, c *firestore.Client, u, _ string) error {
		return set(ctx, c, "users/"+u+"/followers_index/00001", map[string]any{"followers": []string{u}})
	}},
	{"an edge", func(ctx context.Context, c *firestore.Client, u, _ string) error {
		return set(ctx, c, "users/"+u+"/following/somebody", now())
	}},
	{"a relation", func(ctx context.Context, c *firestore.Client, u, p string) error {
		return set(ctx, c, "_relations/"+p+"_00001", map[string]any{"postId": p, "userId": u, "followers": []string{u}})
	}},
	{"a job", func(ctx context.Context, c *firestore.Client, u, p string) error {
		return set(ctx, c, "_functions/post:"+p, map[string]any{"kind": "relations.purge", "state": "queued", "args": map[string]any{"author": u}})
	}},
}

func now() map[string]any { return map[string]any{"createdAt": firestore.ServerTimestamp} }

func set(ctx context.Context, c *firestore.Client, path string, data map[string]any) error {
	_, err := c.Doc(path).Set(ctx, data)
	return err
}

// forbidden tries writes that must be rejected, under the rules.
type forbidden struct {
	client  *firestore.Client
	report  func(format string, args ...any)
	refused atomic.Int64
}

func (f *forbidden) try(ctx context.Context, op Op) error {
	deadline := time.Now().Add(clientPatience)
	for _, w := range forbiddenWrites {
		if w.what != op.Text {
			continue
		}
		for {
			attempt, cancel := context.WithTimeout(wire.As(ctx, unsigned(op.User)), clientPatience/3)
			err := w.do(attempt, f.client, op.User, op.Post)
			cancel()
			switch code := status.Code(err); {
			case code == codes.PermissionDenied, code == codes.NotFound && op.Text == "createdAt moved":
				f.refused.Add(1)
				return nil
			case err == nil:
				f.report("%v: the rules let it through", op)
				return nil
			case ctx.Err() != nil || time.Now().After(deadline) || !retryable(err):
				return err
			}
		}
	}
	f.report("%v: nobody knows how", op)
	return nil
}

// unsigned returns an ID token as the emulator accepts it.
func unsigned(uid string) string {
	part := func(v map[string]any) string {
		text, err := json.Marshal(v)
		if err != nil {
			panic(err) // strings and numbers can always be encoded
		}
		return base64.RawURLEncoding.EncodeToString(text)
	}
	at := time.Now().Unix()
	return part(map[string]any{"alg": "none", "typ": "JWT"}) + "." + part(map[string]any{
		"iss": "https://securetoken.google.com/demo-chaos", "aud": "demo-chaos", "sub": uid, "user_id": uid,
		"iat": at - 60, "auth_time": at - 60, "exp": at + 3600, "firebase": map[string]any{"sign_in_provider": "custom"},
	}) + "."
}
