package functions

import (
	"fmt"
	"testing"
	"time"

	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
)

// Acts beyond an account's hour wait, each for its own time. Acts with the same job wait as one.
func TestActs(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	a, err := newActs(60, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	begins := func(account, job string, weight int, want time.Duration, first bool) {
		t.Helper()
		at, isFirst := a.begins("OnPostWritten", account, job, job, "", weight)
		wait := time.Duration(0)
		if !at.IsZero() {
			wait = at.Sub(now).Round(time.Second)
		}
		if wait != want || isFirst != first {
			t.Errorf("%s by %s waits %v, first %t; want %v, %t", job, account, wait, isFirst, want, first)
		}
	}
	for n := range 30 {
		begins("ada", fmt.Sprint("p", n), actOne, 0, true)
	}
	begins("ada", "settings", actShow, 0, true)
	begins("ada", "a name", actSign, 0, true)
	begins("ada", "p0", actOne, 2*time.Minute, true) // its second
	for range 500 {
		begins("ada", "p0", actOne, 2*time.Minute, false)
	}
	begins("ada", "p30", actOne, 3*time.Minute, true)
	begins("ada", "settings", actShow, 63*time.Minute, true)
	begins("ada", "another name", actSign, 0, true) // it waits behind nothing but its own
	for account, of := range map[string]string{"ada": "OnPostWritten", "bob": "", "": ""} {
		for _, function := range []string{"OnPostWritten", "OnLikeWritten"} {
			if a.over(function, account) != (function == of) {
				t.Errorf("in %s, the hour of %q is over: %t", function, account, function != of)
			}
		}
	}
	if at, _ := a.begins("OnLikeWritten", "ada", "a like", "a like", "", actOne); !at.IsZero() {
		t.Error("ada's hour in one function ends with her hour in another")
	}
	begins("bob", "p", actOne, 0, true)
	begins("", "of nobody", actOne, 0, true)
	now = now.Add(63*time.Minute + time.Second)
	begins("ada", "p0", actOne, time.Minute-time.Second, true) // the first of another hour

	for n := range 1000 {
		if at, _ := a.begins("OnPostWritten", "cay", fmt.Sprint("signed", n), fmt.Sprint("signed", n), "", actSign); at.IsZero() != (n < 60*spareOfHour) {
			t.Fatalf("the %d. signed post begins at %v", n+1, at)
		}
	}
	begins("cay", "p", actOne, 0, true)

	off, err := newActs(0, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if at, _ := off.begins("OnPostWritten", "ada", "p", "p", "", actShow); !at.IsZero() {
			t.Fatal("without a bound, an act waits")
		}
	}
}

// A change that only removes readers does not wait. A change of fields that functions sign has its own
// budget. All other changes count.
func TestPostChangesOutsideHourlyBudget(t *testing.T) {
	t.Parallel()
	text := func(s string) *firestoredata.Value {
		return &firestoredata.Value{ValueType: &firestoredata.Value_StringValue{StringValue: s}}
	}
	texts := func(all ...string) *firestoredata.Value {
		list := &firestoredata.ArrayValue{}
		for _, s := range all {
			list.Values = append(list.Values, text(s))
		}
		return &firestoredata.Value{ValueType: &firestoredata.Value_ArrayValue{ArrayValue: list}}
	}
	hidden := &firestoredata.Value{ValueType: &firestoredata.Value_BooleanValue{BooleanValue: true}}
	post := func(change ...any) *firestoredata.Document {
		fields := map[string]*firestoredata.Value{
			"userId": text("ada"), "audience": text("ada"), "to": texts("bob", "cay"), "text": text("hi"), "name": text("Ada"), "kind": text("photo"),
		}
		for n := 0; n < len(change); n += 2 {
			fields[change[n].(string)] = change[n+1].(*firestoredata.Value)
		}
		return &firestoredata.Document{Fields: fields}
	}
	for name, c := range map[string]struct {
		before, after *firestoredata.Document
		takes, signs  bool
	}{
		"a recipient less":                   {post(), post("to", texts("cay")), true, false},
		"no recipient":                       {post(), post("to", texts()), true, false},
		"no audience":                        {post(), post("audience", text("")), true, false},
		"a recipient less, another name":     {post(), post("to", texts("cay"), "name", text("Ada L.")), true, false},
		"another name":                       {post(), post("name", text("Ada L.")), false, true},
		"one for another":                    {post(), post("to", texts("cay", "dan")), false, false},
		"a recipient less, another text":     {post(), post("to", texts("cay"), "text", text("ho")), false, false},
		"no audience, one recipient more":    {post(), post("audience", text(""), "to", texts("bob", "cay", "dan")), false, false},
		"a recipient less, another audience": {post(), post("to", texts("cay"), "audience", text("g_1")), false, false},
		"another kind":                       {post(), post("kind", text("event")), false, false},
		"another text":                       {post(), post("text", text("ho")), false, false},
		"another audience":                   {post(), post("audience", text("g_1")), false, false},
		"shown":                              {post("hidden", hidden), post(), false, false},
		"new":                                {nil, post(), false, false},
		"another author":                     {post(), post("userId", text("bob")), false, false},
	} {
		change, copied, signed := change{before: c.before, after: c.after}, []string{"text", "name", "kind"}, []string{"name", "userId"}
		if takes, signs := change.takes(copied, signed), change.signs(copied, signed); takes != c.takes || signs != c.signs {
			t.Errorf("%s: takes %t, signs %t; want %t, %t", name, takes, signs, c.takes, c.signs)
		}
	}
	for name, c := range map[string]struct {
		after *firestoredata.Document
		want  bool
	}{"shown": {post(), false}, "hidden": {post("hidden", hidden), true}, "deleted": {nil, true}} {
		if got := (change{before: post(), after: c.after}).hides(); got != c.want {
			t.Errorf("%s: hides is %t, want %t", name, got, c.want)
		}
	}
}
