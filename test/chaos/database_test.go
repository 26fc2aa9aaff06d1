//go:build long

package chaos

import (
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/relationindex/testkit/oracle"
)

func day(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }

// database is what operations write one after the other, and what deleted accounts and blocks take
// with them, without a system.
type database struct {
	docs    map[string]map[string]any
	history *oracle.History
	at      time.Time
	deleted map[string]bool // accounts
	back    map[string]bool // accounts that came back
}

func newDatabase() *database {
	return &database{map[string]map[string]any{}, &oracle.History{}, day(1), map[string]bool{}, map[string]bool{}}
}

// databaseOf is the database after ops.
func databaseOf(ops []Op) *database {
	d := newDatabase()
	for _, op := range ops {
		d.apply(op)
	}
	return d
}

// feed is every post that reaches a reader, newest first.
func (d *database) feed(reader string) []oracle.Post {
	d.history.End(d.at, d.docs)
	return oracle.New(d.history, oracle.Config{All: true, Shows: shows}, d.at).Reader(reader).Sorted()
}

func (d *database) set(path string, fields map[string]any) {
	d.docs[path] = fields
	d.history.Write(path, d.at, fields)
}

func (d *database) remove(path string) {
	delete(d.docs, path)
	d.history.Delete(path, d.at)
}

// with sets a field of a document.
func (d *database) with(path, field string, value any) {
	fields := maps.Clone(d.docs[path])
	if fields == nil {
		return
	}
	fields[field] = value
	d.set(path, fields)
}

func (d *database) apply(op Op) {
	d.at = d.at.Add(time.Second)
	path := op.document()
	created := map[string]any{"createdAt": d.at}
	switch op.Kind {
	case Follow:
		d.set(path, created)
	case Accept:
		d.remove(path)
		d.set(followOf(op.User, op.Author), created)
	case Block:
		d.set(path, created)
		delete(d.docs, followOf(op.User, op.Author))
		delete(d.docs, followOf(op.Author, op.User))
	case Request, HidePost:
		d.set(path, created)
	case Unfollow, Unblock, Withdraw, Decline, UnhidePost, DeletePost, Unlike, Uncomment:
		d.remove(path)
	case CreatePost:
		d.set(path, decoded(op.post()))
	case Redate:
		d.with(path, "createdAt", op.createdAt(d.at))
	case Reword:
		d.with(path, "text", op.Text)
	case Rekind:
		d.with(path, "kind", op.PostKind)
	case Reassign:
		d.with(path, "userId", op.NewAuthor)
		if op.Audience != "" {
			d.with(path, "audience", op.Audience)
		}
	case Readdress:
		d.with(path, "audience", op.Audience)
	case Direct:
		d.with(path, "to", values(op.To))
	case Hide, Show:
		d.with(path, "hidden", op.Kind == Hide)
	case Comment:
		d.set(path, op.comment())
	case Like:
		d.set(path, op.like())
	case DeleteAccount:
		d.deleteAccount(op.User)
	case Return:
		delete(d.deleted, op.User)
		d.back[op.User] = true
		d.set(path, profile(op.User))
	case Decide:
		d.set(path, map[string]any{"hide": values(op.Hide), "show": values(op.Show)})
	case Remood, Rename, See, Read, Overwrite, Close, Open, Forbidden: // nothing that decides what reaches whom
	}
}

func (d *database) deleteAccount(u string) {
	d.deleted[u] = true
	d.remove("users/" + u)
	for path, fields := range d.docs {
		if slices.Contains(strings.Split(path, "/"), u) || fields["userId"] == u {
			delete(d.docs, path)
			continue
		}
		if to, ok := fields["to"].([]any); ok && slices.Contains(to, any(u)) {
			d.with(path, "to", slices.DeleteFunc(slices.Clone(to), func(v any) bool { return v == u }))
		}
	}
}

// decoded are fields as they are read.
func decoded(fields map[string]any) map[string]any {
	for name, value := range fields {
		if texts, ok := value.([]string); ok {
			fields[name] = values(texts)
		}
	}
	return fields
}
