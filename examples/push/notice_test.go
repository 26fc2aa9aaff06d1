package push

import (
	"errors"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"
	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"example.com/relationindex/social"
	"example.com/relationindex/testkit"
)

// noticeApp is an app whose account ada has a phone, and hears of what others do.
type noticeApp struct {
	*testkit.App
	phones *phones
	last   *firestore.DocumentSnapshot // ada's notification of p, as its last event left it
}

func newNoticeApp(t *testing.T) *noticeApp {
	t.Helper()
	a := &noticeApp{testkit.NewApp(t, social.Config{Notifications: true}), &phones{shown: map[string][]string{}}, nil}
	for user, name := range map[string]string{"ada": "Ada", "ann": "Ann", "ben": "Ben"} {
		a.Profile(user, map[string]any{"name": name})
	}
	a.Must(a.Client.Doc("contacts/ada").Set(t.Context(), map[string]any{"tokens": []string{"adas-phone"}}))
	a.Post("p", "ada", time.Now())
	a.Settle()
	return a
}

func (a *noticeApp) likes(who string) {
	a.T.Helper()
	a.Must(a.Client.Doc("posts/p/likes/"+who).Set(a.T.Context(), map[string]any{"userId": who, "postId": "p", "createdAt": firestore.ServerTimestamp}))
	a.Settle()
}

// event delivers the event of what has been written since the one before, so many times, and returns how often Notify failed.
func (a *noticeApp) event(t *testing.T, times int) (failed int) {
	t.Helper()
	ref := a.Client.Doc("users/ada/notifications/like.p")
	docs, err := a.Client.GetAll(t.Context(), []*firestore.DocumentRef{ref})
	a.OK(err)
	data, err := proto.Marshal(&firestoredata.DocumentEventData{OldValue: documentOf(a.ID, a.last), Value: documentOf(a.ID, docs[0])})
	a.OK(err)
	a.last = docs[0]
	for range times {
		if err := Notify(t.Context(), a.Client, a.phones, testkit.FirestoreEvent(t, data)); err != nil {
			failed++
		}
	}
	return failed
}

func documentOf(project string, doc *firestore.DocumentSnapshot) *firestoredata.Document {
	if doc == nil || !doc.Exists() {
		return nil
	}
	count, _ := doc.Data()["count"].(int64)
	fields := map[string]*firestoredata.Value{"count": {ValueType: &firestoredata.Value_IntegerValue{IntegerValue: count}}}
	told := map[string]*firestoredata.Value{}
	for path, in := range map[string]map[string]*firestoredata.Value{"at": fields, "told.at": told} {
		if at, err := doc.DataAt(path); err == nil {
			in["at"] = &firestoredata.Value{ValueType: &firestoredata.Value_TimestampValue{TimestampValue: timestamppb.New(at.(time.Time))}}
		}
	}
	fields["told"] = &firestoredata.Value{ValueType: &firestoredata.Value_MapValue{MapValue: &firestoredata.MapValue{Fields: told}}}
	return &firestoredata.Document{Name: "projects/" + project + "/databases/(default)/documents/users/ada/notifications/" + doc.Ref.ID, Fields: fields}
}

// Each new like is pushed with its account's name, as one notification on a device. A like that was removed, seen, or made
// before on the same day is not pushed.
func TestNotify(t *testing.T) {
	t.Parallel()
	a := newNoticeApp(t)
	a.likes("ann")
	a.phones.fail = errors.New("unavailable")
	if failed := a.event(t, 2); failed != 1 {
		t.Errorf("%d calls failed, want the one that FCM did not take", failed)
	}
	unlikes := func(people ...string) {
		for _, who := range people {
			a.Must(a.Client.Doc("posts/p/likes/" + who).Delete(t.Context()))
		}
		a.Settle()
		a.event(t, 1)
	}
	unlikes("ann") // all are taken back
	a.likes("ann")
	a.event(t, 1)
	a.likes("ben")
	a.event(t, 1)
	a.likes("stranger")
	a.event(t, 1)
	unlikes("stranger", "ben")
	a.likes("ben")
	a.event(t, 1)
	a.likes("other")
	a.Must(a.Client.Doc("users/ada/settings/read").Set(t.Context(), map[string]any{"notifiedAt": time.Now().Add(time.Minute)}))
	a.event(t, 1)
	want := []string{"Ann liked your post", "Ben, Ann liked your post", "Somebody, Ben and 1 more liked your post"}
	if diff := cmp.Diff(want, a.phones.titles); diff != "" {
		t.Errorf("pushes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string][]string{"adas-phone": {hashOf("ada/like.p")[:32]}}, a.phones.shown); diff != "" {
		t.Errorf("notifications by token (-want +got):\n%s", diff)
	}
}

// A late event pushes no like that was removed since, and none of a deleted account.
func TestLateNotices(t *testing.T) {
	t.Parallel()
	a := newNoticeApp(t)
	a.likes("ann")
	doc, err := a.Client.Doc("users/ada/notifications/like.p").Get(t.Context())
	a.OK(err)
	data, err := proto.Marshal(&firestoredata.DocumentEventData{Value: documentOf(a.ID, doc)})
	a.OK(err)
	a.Must(a.Client.Doc("posts/p/likes/ann").Delete(t.Context()))
	a.Settle()
	a.OK(Notify(t.Context(), a.Client, a.phones, testkit.FirestoreEvent(t, data)))
	a.DeleteAccount("ada")
	a.Settle()
	a.OK(Notify(t.Context(), a.Client, a.phones, testkit.FirestoreEvent(t, data)))
	if a.phones.sends > 0 {
		t.Errorf("%q was sent", a.phones.titles)
	}
}

// The first acts are pushed one by one, many acts less often, and old acts not at all.
func TestNotificationsThatArePushed(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for name, c := range map[string]struct {
		before, after notice
		want          bool
	}{
		"the first":             {notice{}, notice{Count: 1, At: now}, true},
		"the tenth":             {notice{Count: 9, At: now}, notice{Count: 10, At: now.Add(1)}, true},
		"the eleventh":          {notice{Count: 10, At: now}, notice{Count: 11, At: now.Add(1)}, false},
		"as many again":         {notice{Count: 100, At: now}, notice{Count: 130, At: now.Add(1)}, true},
		"one taken back":        {notice{Count: 3, At: now}, notice{Count: 2, At: now.Add(-1)}, false},
		"others at the same at": {notice{Count: 3, At: now}, notice{Count: 2, At: now}, false},
		"an import":             {notice{}, notice{Count: 1, At: now.AddDate(0, 0, -2)}, false},
		"all taken back":        {notice{Count: 1, At: now}, notice{}, false},
		"a mention, of many":    {notice{Count: 30, At: now.AddDate(0, 0, -1)}, notice{Count: 31, At: now, Verb: "mention"}, true},
	} {
		if got := tells(c.before, c.after); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The text that devices show for each verb.
func TestTexts(t *testing.T) {
	t.Parallel()
	for want, n := range map[string]notice{
		"Ann asked to follow you":              {Verb: "request", Count: 1},
		"Ann and 4 more began to follow you":   {Verb: "follow", Count: 5},
		"Ann mentioned you":                    {Verb: "mention", Count: 1},
		"Ann mentioned you in 3 posts":         {Verb: "mention", Count: 3},
		"New comments on your post, by Ann: 7": {Verb: "comment", Count: 7},
		"Ann and 9 more liked your post":       {Verb: "like", Count: 10},
	} {
		if got := n.text([]string{"Ann"}); got != want {
			t.Errorf("%s: %s", n.Verb, got)
		}
	}
}
