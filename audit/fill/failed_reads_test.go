package fill_test

import (
	"testing"

	"example.com/relationindex/audit/fill"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// Each read of fill posts fails.
func TestFillPostsReturnsReadErrors(t *testing.T) {
	t.Parallel()
	a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true})
	testkit.Write(t, a.Client, olderPosts)
	testkit.FailReads(t, func(p testkit.Process) error {
		_, err := fill.Posts(t.Context(), a.Instance(p.Interceptor), fill.Options{})
		return err
	})
	wantPosts(a, filledPosts)
}
