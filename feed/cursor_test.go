package feed

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/relationindex/schema"
)

// keys are those of cursors here. open and seal send no requests.
var keys = ownKeys()

func sealOf(t interface{ Fatal(args ...any) }, c cursor, of scope) string {
	text, err := keys.seal(context.Background(), c, of)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func open(text string, of scope) (cursor, error) { return keys.open(context.Background(), text, of) }

var aTime = time.Date(2026, 11, 20, 18, 0, 0, 123_456_000, time.UTC)

func TestCursorsComeBackAsTheyWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reader := rapid.StringN(1, 40, 128).Draw(t, "reader")
		of := scope{reader, rapid.SampledFrom([]string{"", "topic", "a/b", strings.Repeat("é", MaxRef)}).Draw(t, "ref")}
		e := entry{
			name:      rapid.StringMatching(`[a-z_]{1,30}_[0-9]{5}`).Draw(t, "name"),
			createdAt: time.UnixMicro(rapid.Int64Range(-1e15, 1e15).Draw(t, "micros")).UTC(),
		}
		if of.ref == "" {
			e.stem = stemOf(e.name)
		}
		c := cursor{}.after(e, rapid.Bool().Draw(t, "given"))
		got, err := open(sealOf(t, c, of), of)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c, got, cmp.AllowUnexported(cursor{}, position{})); diff != "" {
			t.Error(diff)
		}
	})
}

// ada and topic are the scopes of most cursors: ada's feed, and a slice of hers.
var ada, topic = scope{reader: "ada"}, scope{"ada", "topic"}

// ofPull is a place in ada's feed, read by pull.
func ofPull(name string) cursor {
	return cursor{position: position{aTime, name, 0}, since: aTime.Add(time.Hour)}
}

// entryOf is a relation's.
func entryOf(name string) entry { return entry{name: name, createdAt: aTime, stem: stemOf(name)} }

func TestCursorsThatAreNone(t *testing.T) {
	for of, others := range map[scope][]scope{
		ada:   {{reader: "bob"}, {}, {reader: "ad"}, {reader: "adaa"}, {reader: "Ada"}, topic},
		topic: {ada, {"bob", "topic"}, {"ada", "topi"}, {"ada", "topics"}, {"adatopic", ""}, {"adat", "opic"}},
	} {
		testCursorsThatAreNone(t, of, others)
	}
}

func testCursorsThatAreNone(t *testing.T, of scope, others []scope) {
	t.Helper()
	e := entryOf("p1_00001")
	if of.ref != "" {
		e.stem = ""
	}
	good := sealOf(t, cursor{}.after(e, true), of)
	if _, err := open(good, of); err != nil {
		t.Fatal(err)
	}
	refused := map[string]string{
		"not base64":     "hello, world",
		"too long":       strings.Repeat("A", sealedLen(of)+1),
		"with a newline": good[:4] + "\n" + good[4:],
		"with padding":   good + "=",
		"twice":          good + good,
	}
	for n := range len(good) {
		refused["cut at "+good[:n]] = good[:n]
		altered := []byte(good)
		altered[n] = map[bool]byte{true: 'B', false: 'A'}[altered[n] == 'A']
		refused["altered: "+string(altered)] = string(altered)
	}
	delete(refused, "cut at ") // the beginning
	payload := cursor{}.after(e, true).encode(of)
	payload[0] = ownCursor + 1
	refused["another version's"] = sealed(payload, of)
	other, err := ownKeys().seal(t.Context(), cursor{}.after(e, true), of)
	if err != nil {
		t.Fatal(err)
	}
	refused["another key's"] = other
	for name, text := range refused {
		if _, err := open(text, of); !errors.Is(err, ErrCursor) {
			t.Errorf("%v: %s: %v, want ErrCursor", of, name, err)
		}
	}
	for _, other := range others {
		if _, err := open(good, other); !errors.Is(err, ErrCursor) {
			t.Errorf("the cursor of %v for %v: %v, want ErrCursor", of, other, err)
		}
	}
}

func TestCursorsOfPullComeBackAsTheyWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := scope{reader: rapid.StringN(1, 40, 128).Draw(t, "reader")}
		time := func(name string) time.Time { return time.UnixMicro(rapid.Int64Range(-1e15, 1e15).Draw(t, name)).UTC() }
		e := entry{name: rapid.StringMatching(`[a-z_]{1,30}_[0-9]{5}`).Draw(t, "relation"), createdAt: time("createdAt")}
		e.stem = stemOf(e.name)
		relations := cursor{}.after(e, rapid.Bool().Draw(t, "given"))
		for _, c := range []cursor{
			relations.pull(time("since")),
			relations.pull(time("since")).after(entry{name: "p", createdAt: e.createdAt}, true),
			relations.pull(time("since")).after(entry{name: rapid.StringMatching(`[a-zé]{1,700}`).Draw(t, "post"), createdAt: time("another")}, true),
		} {
			got, err := open(sealOf(t, c, of), of)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c, got, cmp.AllowUnexported(cursor{}, position{})); diff != "" {
				t.Error(diff)
			}
		}
	})
}

func TestLongestPullCursorFitsDocumentedLength(t *testing.T) {
	c := ofPull(strings.Repeat("p", schema.MaxIDBytes))
	c.relation = "p" + strings.Repeat("_", maxRelationID-1)
	for n := range maxRelationID - 1 {
		c.shown = append(c.shown, byte(n+1))
	}
	text := sealOf(t, c, ada)
	got, err := open(text, ada)
	if err != nil || got.relation != c.relation || got.name != c.name || len(text) > sealedLen(ada) || len(text) > 2410 {
		t.Errorf("%d characters of %d, and 2,410 in feed.openapi.yaml: %v", len(text), sealedLen(ada), err)
	}
}

// Servers choose longer ids for posts than relations have.
func TestSliceCursorHoldsLongestPostID(t *testing.T) {
	c := cursor{position: position{aTime, strings.Repeat("_", 700) + strings.Repeat("p", schema.MaxIDBytes-700), 0}}
	text := sealOf(t, c, topic)
	if got, err := open(text, topic); err != nil || got.name != c.name || len(text) > sealedLen(topic) {
		t.Errorf("%d characters of %d: %v", len(text), sealedLen(topic), err)
	}
}

// Another release may have sealed a position that this one would not: none that Firestore
// would reject reaches it.
func TestForgedCursorsAreChecked(t *testing.T) {
	for name, c := range map[string]cursor{
		"an id with a slash":  {position: position{aTime, "a/b", 0}},
		"a reserved id":       {position: position{aTime, "__a__", 0}},
		"a long id":           {position: position{aTime, strings.Repeat("a", maxRelationID+1), 0}},
		"no UTF-8":            {position: position{aTime, "a\xff", 0}},
		"the year 10,000":     {position: position{time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC), "p_00001", 0}},
		"the year 0":          {position: position{time.Date(0, 12, 31, 0, 0, 0, 0, time.UTC), "p_00001", 0}},
		"a part that is none": {position: position{aTime, "p_00001", 0}, shown: []byte{2}},
		"a part beyond":       {position: position{aTime, "p_00001", 0}, shown: []byte{100}},
		"parts out of order":  {position: position{aTime, "p_q_00001", 0}, shown: []byte{3, 1}},
	} {
		if _, err := open(sealOf(t, c, ada), ada); !errors.Is(err, ErrCursor) {
			t.Errorf("%s: %v, want ErrCursor", name, err)
		}
	}
	for name, c := range map[string]cursor{
		"an id with a slash": {position: position{aTime, "a/b", 0}},
		"a long id":          {position: position{aTime, strings.Repeat("a", schema.MaxIDBytes+1), 0}},
		"a part":             {position: position{aTime, "p_00001", 0}, shown: []byte{1}},
	} {
		if _, err := open(sealOf(t, c, topic), topic); !errors.Is(err, ErrCursor) {
			t.Errorf("of a slice: %s: %v, want ErrCursor", name, err)
		}
	}
	for name, alter := range map[string]func(c *cursor){
		"an id with a slash":       func(c *cursor) { c.name = "a/b" },
		"a long id":                func(c *cursor) { c.name = strings.Repeat("a", schema.MaxIDBytes+1) },
		"a relation with a slash":  func(c *cursor) { c.relation = "a/b" },
		"a long relation":          func(c *cursor) { c.relation = strings.Repeat("a", maxRelationID+1) },
		"the year 10,000":          func(c *cursor) { c.since = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"the year 0":               func(c *cursor) { c.createdAt = time.Date(0, 12, 31, 0, 0, 0, 0, time.UTC) },
		"a part without relation":  func(c *cursor) { c.shown = []byte{1} },
		"a part beyond":            func(c *cursor) { c.relation, c.shown = "p_00001", []byte{7} },
		"a part of the post alone": func(c *cursor) { c.name, c.relation, c.shown = "p_00001", "q", []byte{1} },
	} {
		c := ofPull("p1")
		alter(&c)
		if _, err := open(sealOf(t, c, ada), ada); !errors.Is(err, ErrCursor) {
			t.Errorf("of pull: %s: %v, want ErrCursor", name, err)
		}
	}
	times := strings.Repeat("\x00", 16)
	never := strings.Repeat("\x00", 8) + "\xff\x23\x40\x01\x00\xd4\x40\x00" // the first moment of the year 1
	for name, payload := range map[string]string{
		"of a list that was never read":    never + "\x00\x00p",
		"without a relation and a post":    times + "\x00\x00",
		"a relation that is cut":           times + "\x09p",
		"without the length of a relation": times,
		"nothing":                          "",
	} {
		if _, err := open(sealed([]byte("\x03"+payload), ada), ada); !errors.Is(err, ErrCursor) {
			t.Errorf("of pull, %s: %v, want ErrCursor", name, err)
		}
	}
	few := sealed([]byte{feedCursor, 0, 0, 0, 0, 0, 0, 0, 0, 9, 'p'}, ada)
	if _, err := open(few, ada); !errors.Is(err, ErrCursor) {
		t.Errorf("fewer parts than it says: %v, want ErrCursor", err)
	}
}

// Relations of other posts may lie between two relations of one post, if their ids continue
// the post's id like a relation's.
func TestCursorRemembersPostUntilItsLastRelation(t *testing.T) {
	at := cursor{}
	for _, step := range []struct {
		id    string
		given bool
		want  bool // that a further relation of p, p_00001, is known to be given
	}{
		{"p_00003", true, true},
		{"p_00002_00007", true, true},
		{"p_00002_00001", false, true},
		{"p_00002", false, true}, // by p_00003
		{"o_00001", true, false}, // beyond all of p
	} {
		at = at.after(entryOf(step.id), step.given)
		if got := at.hasShown("p", aTime); got != step.want {
			t.Errorf("after %s: p known as given: %v, want %v", step.id, got, step.want)
		}
		if at.hasShown("p", aTime.Add(time.Microsecond)) {
			t.Errorf("after %s: p known as given at another time", step.id)
		}
	}
	if at := at.after(entryOf("n_00002"), false); at.hasShown("n", aTime) {
		t.Error("a post that was left out is known as given")
	}
}

// A post of a slice has no other entry, for any id.
func TestSliceCursorRemembersNoPost(t *testing.T) {
	at := cursor{}.after(entry{name: "p_00002", createdAt: aTime}, true)
	if len(at.shown) > 0 || at.hasShown("", aTime) {
		t.Errorf("%v is known as given", at.shown)
	}
}

// sealed is a payload as text.
func sealed(payload []byte, of scope) string { return keys.sealers[0].seal(payload, of) }

// Nothing that is accepted is anything but what encode makes, and nothing is
// accepted for two readers, or for two slices. The fuzzer seals half of what it tries, or
// it would never get past the key.
func FuzzCursor(f *testing.F) {
	f.Add("", "ada", "", []byte{})
	f.Add(sealOf(f, cursor{}.after(entryOf("p1_00001"), true), ada), "ada", "", []byte{})
	f.Add(sealOf(f, cursor{position: position{aTime, "p1", 0}}, topic), "ada", "topic", []byte{})
	pull := ofPull("p1")
	pull.relation, pull.shown = "p_00001", []byte{1}
	f.Add(sealOf(f, pull, ada), "ada", "", []byte{})
	f.Add("", "ada", "", append([]byte{pullCursor}, "12345678"+"12345678"+"\x07p_00001\x01\x01p1"...))
	f.Add("", "ada", "topic", append([]byte{pullCursor}, "12345678"+"12345678"+"\x00\x00p1"...))
	f.Add("", "ada", "", []byte{feedCursor, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 'p', '1', '_', '0'})
	f.Add("", "bob", "", []byte{feedCursor, 255, 255, 255, 255, 255, 255, 255, 255, 0, 'p'})
	f.Add(sealOf(f, cursor{position: position{aTime, "p1", 7}, own: true}, ada), "ada", "", []byte{})
	f.Add("", "ada", "", append([]byte{ownCursor}, "12345678"+"12345678"+"\x00p1"...))
	f.Add("", "bob", "topic", []byte{sliceCursor, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'p'})
	f.Fuzz(func(t *testing.T, text, reader, ref string, payload []byte) {
		of := scope{reader, ref}
		for _, text := range []string{text, sealed(payload, of)} {
			c, err := open(text, of)
			if err != nil {
				if !errors.Is(err, ErrCursor) {
					t.Fatalf("%q: %v, want ErrCursor", text, err)
				}
				continue
			}
			if c.pulled() && ref != "" || len(c.relation) > maxRelationID || len(c.name) > schema.MaxIDBytes {
				t.Fatalf("%q is accepted for %v: %+v", text, of, c)
			}
			if got := sealOf(t, c, of); got != text {
				t.Fatalf("%q is accepted and encoded as %q", text, got)
			}
			for _, other := range []scope{{reader + "'", ref}, {reader, ref + "'"}} {
				if _, err := open(text, other); text != "" && !errors.Is(err, ErrCursor) {
					t.Fatalf("%q is accepted for %v and %v", text, of, other)
				}
			}
		}
	})
}
