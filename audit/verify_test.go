package audit_test

import (
	"testing"

	"example.com/relationindex/audit/repair"
	"example.com/relationindex/testkit"
)

// An app may have collections of our names elsewhere: they are nothing to verify, trace and repair.
func TestNestedCollectionsWithOurNamesAreIgnored(t *testing.T) {
	t.Parallel()
	a := testkit.SoundApp(t)
	elsewhere := map[string]map[string]any{
		"groups/g/followers/r9":              {"role": "member"},
		"groups/g/followers_index/00001":     {"followers": "r9"},
		"groups/g/following/author":          {"indexId": int64(7)},
		"groups/g/blocked/r1":                {"by": "r9"},
		"groups/g/users/author/followers/r9": {"role": "member"},
	}
	testkit.Write(t, a.Client, elsewhere)
	a.WantVerified()
	a.WantGone("r9")
	repaired, err := repair.New(a.Instance()).Repair(t.Context(), "", nil, nil)
	if err != nil || repaired.Before.Violations+repaired.After.Violations > 0 {
		t.Errorf("repair finds %+v: %v", repaired, err)
	}
	for path, data := range elsewhere {
		testkit.Same(t, path, data, a.Data(path))
	}
}

func TestVerifyNamesTheJobsOfAnAuthor(t *testing.T) {
	t.Parallel()
	a := testkit.SoundApp(t)
	for id, args := range map[string]map[string]string{
		"index:author:00001": {"author": "author", "index": "00001"},
		"index:other:00001":  {"author": "other", "index": "00001"},
		"post:p1":            {"post": "p1"},
		"post:p9":            {"post": "p9"},
	} {
		a.Must(a.Client.Doc("_functions/"+id).Set(t.Context(), map[string]any{"state": "queued", "args": args}))
	}
	var got []string
	for _, v := range a.ViolationsOf("author") {
		got = append(got, v.Document)
	}
	want := []string{"_functions/index:author:00001", "_functions/post:p1"}
	testkit.Same(t, "it", want, got)
}
