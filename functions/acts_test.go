package functions

import (
	"fmt"
	"testing"
	"time"

	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
)

// What an account does beyond its hour waits, each act for its own time; acts with the same job wait as one.
func TestActs(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	a, err := newActs(60, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	begins := func(account, job string, weight int, want time.Duration, first bool) {
		t.Helper()
		at, isFirst := a.begins(account, job, weight)
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
	begins("ada", "to a friend less", actNone, 0, true)
	begins("ada", "p0", actOne, time.Minute, true)
	for range 500 {
		begins("ada", "p0", actOne, time.Minute, false)
	}
	begins("ada", "p1", actOne, 2*time.Minute, true)
	begins("ada", "settings", actShow, 32*time.Minute, true)
	begins("ada", "to another friend less", actNone, 32*time.Minute, true)
	begins("bob", "p", actOne, 0, true)
	begins("", "of nobody", actOne, 0, true)
	now = now.Add(32*time.Minute + time.Second)
	begins("ada", "to a third friend less", actNone, 0, true)
	begins("ada", "p0", actOne, time.Minute-time.Second, true)

	for n := range 100 {
		if at, _ := a.begins("cay", fmt.Sprint("narrower", n), actNone); at.IsZero() != (n < 60) {
			t.Fatalf("the %d. act that does not count begins at %v", n+1, at)
		}
	}
	begins("cay", "p", actOne, 0, true)

	off, err := newActs(0, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if at, _ := off.begins("ada", "p", actShow); !at.IsZero() {
			t.Fatal("without a bound, an act waits")
		}
	}
}

// A post that loses recipients, or that functions sign, does not count. Anything else does.
func TestNarrows(t *testing.T) {
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
		want          bool
	}{
		"a recipient less": {post(), post("to", texts("cay")), true},
		"no recipient":     {post(), post("to", texts()), true},
		"another name":     {post(), post("name", text("Ada L.")), true},
		"one for another":  {post(), post("to", texts("cay", "dan")), false},
		"another kind":     {post(), post("kind", text("event")), false},
		"another text":     {post(), post("text", text("ho")), false},
		"another audience": {post(), post("audience", text("g_1")), false},
		"shown":            {post("hidden", hidden), post(), false},
		"new":              {nil, post(), false},
		"another author":   {post(), post("userId", text("bob")), false},
	} {
		if got := (change{before: c.before, after: c.after}).narrows([]string{"text", "name", "kind"}, []string{"name", "userId"}); got != c.want {
			t.Errorf("%s: narrows is %t, want %t", name, got, c.want)
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
