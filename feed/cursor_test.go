package feed

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var aTime = time.Date(2026, 11, 20, 18, 0, 0, 123_456_000, time.UTC)

func TestCursorsComeBackAsTheyWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reader := rapid.StringN(1, 40, 128).Draw(t, "reader")
		r := relation{
			id:        rapid.StringMatching(`[a-z_]{1,30}_[0-9]{5}`).Draw(t, "id"),
			CreatedAt: time.UnixMicro(rapid.Int64Range(-1e15, 1e15).Draw(t, "micros")).UTC(),
		}
		c := cursor{}.after(r, rapid.Bool().Draw(t, "given"))
		got, err := parseCursor(c.encode(reader), reader)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c, got, cmp.AllowUnexported(cursor{})); diff != "" {
			t.Error(diff)
		}
	})
}

func TestCursorsThatAreNone(t *testing.T) {
	good := cursor{}.after(relation{id: "p1_00001", CreatedAt: aTime}, true).encode("ada")
	if _, err := parseCursor(good, "ada"); err != nil {
		t.Fatal(err)
	}
	refused := map[string]string{
		"not base64":     "hello, world",
		"too long":       strings.Repeat("A", maxCursor+1),
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
	b, err := base64.RawURLEncoding.DecodeString(good)
	if err != nil {
		t.Fatal(err)
	}
	b[0] = cursorVersion + 1
	refused["another version's"] = signed(b[:len(b)-checksumBytes], "ada")
	for name, text := range refused {
		if _, err := parseCursor(text, "ada"); !errors.Is(err, ErrCursor) {
			t.Errorf("%s: %v, want ErrCursor", name, err)
		}
	}
	for _, reader := range []string{"bob", "", "ad", "adaa", "Ada"} {
		if _, err := parseCursor(good, reader); !errors.Is(err, ErrCursor) {
			t.Errorf("ada's cursor for %q: %v, want ErrCursor", reader, err)
		}
	}
}

// Whoever computes the checksum themselves still cannot send Firestore what it
// would refuse.
func TestForgedCursorsAreChecked(t *testing.T) {
	for name, c := range map[string]cursor{
		"an id with a slash":  {createdAt: aTime, relation: "a/b"},
		"a reserved id":       {createdAt: aTime, relation: "__a__"},
		"a long id":           {createdAt: aTime, relation: strings.Repeat("a", maxRelationID+1)},
		"no UTF-8":            {createdAt: aTime, relation: "a\xff"},
		"the year 10,000":     {createdAt: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC), relation: "p_00001"},
		"the year 0":          {createdAt: time.Date(0, 12, 31, 0, 0, 0, 0, time.UTC), relation: "p_00001"},
		"a part that is none": {createdAt: aTime, relation: "p_00001", shown: []byte{2}},
		"a part beyond":       {createdAt: aTime, relation: "p_00001", shown: []byte{100}},
		"parts out of order":  {createdAt: aTime, relation: "p_q_00001", shown: []byte{3, 1}},
	} {
		if _, err := parseCursor(c.encode("ada"), "ada"); !errors.Is(err, ErrCursor) {
			t.Errorf("%s: %v, want ErrCursor", name, err)
		}
	}
	few := signed([]byte{cursorVersion, 0, 0, 0, 0, 0, 0, 0, 0, 9, 'p'}, "ada")
	if _, err := parseCursor(few, "ada"); !errors.Is(err, ErrCursor) {
		t.Errorf("fewer parts than it says: %v, want ErrCursor", err)
	}
}

// Between two relations of one post there may be those of other posts, if the
// post's id goes on like a relation's.
func TestAPostIsRememberedAsLongAsAnotherRelationOfItMayCome(t *testing.T) {
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
		at = at.after(relation{id: step.id, CreatedAt: aTime}, step.given)
		if got := at.hasShown("p", aTime); got != step.want {
			t.Errorf("after %s: p known as given: %v, want %v", step.id, got, step.want)
		}
		if at.hasShown("p", aTime.Add(time.Microsecond)) {
			t.Errorf("after %s: p known as given at another time", step.id)
		}
	}
	if at := at.after(relation{id: "n_00002", CreatedAt: aTime}, false); at.hasShown("n", aTime) {
		t.Error("a post that was left out is known as given")
	}
}

// signed is a payload with its checksum, as text.
func signed(payload []byte, reader string) string {
	sum := checksum(payload, reader)
	return base64.RawURLEncoding.EncodeToString(append(payload, sum[:]...))
}

// Nothing that is accepted is anything but what encode makes, and nothing is
// accepted for two readers. The fuzzer signs half of what it tries, or it would
// never get past the checksum.
func FuzzCursor(f *testing.F) {
	f.Add("", "ada", []byte{})
	f.Add(cursor{}.after(relation{id: "p1_00001", CreatedAt: aTime}, true).encode("ada"), "ada", []byte{})
	f.Add("", "ada", []byte{cursorVersion, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 'p', '1', '_', '0'})
	f.Add("", "bob", []byte{cursorVersion, 255, 255, 255, 255, 255, 255, 255, 255, 0, 'p'})
	f.Fuzz(func(t *testing.T, text, reader string, payload []byte) {
		for _, text := range []string{text, signed(payload, reader)} {
			c, err := parseCursor(text, reader)
			if err != nil {
				if !errors.Is(err, ErrCursor) {
					t.Fatalf("%q: %v, want ErrCursor", text, err)
				}
				continue
			}
			if got := c.encode(reader); got != text {
				t.Fatalf("%q is accepted and encoded as %q", text, got)
			}
			if _, err := parseCursor(text, reader+"'"); text != "" && !errors.Is(err, ErrCursor) {
				t.Fatalf("%q is accepted for two readers", text)
			}
		}
	})
}
