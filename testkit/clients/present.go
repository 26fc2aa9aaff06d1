package clients

import (
	"maps"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
)

// Present has the documents of clients that are there now, by path. From them follow the operations that clients may do
// next. An oracle, not Present, says what feeds must show.
type Present map[string]map[string]any

// Clone returns an independent copy. Nothing changes the fields of a document: a write makes new ones.
func (p Present) Clone() Present { return maps.Clone(p) }

// has reports whether the document of an operation of a kind is there.
func (p Present) has(kind Kind, user, author string) bool {
	return p[Op{Kind: kind, User: user, Author: author, Post: author}.Document()] != nil
}

// Follows reports whether user follows author.
func (p Present) Follows(user, author string) bool { return p.has(Follow, user, author) }

// Apart reports whether one of two accounts blocks the other. Then neither may follow.
func (p Present) Apart(a, b string) bool { return p.has(Block, a, b) || p.has(Block, b, a) }

// MayFollow reports whether an account may follow another, or request to.
func (p Present) MayFollow(user, author string) bool {
	return user != author && !p.Follows(user, author) && !p.Apart(user, author) && !p.has(Request, user, author)
}

// closed reports whether follows of an account need a request.
func (p Present) closed(u string) bool { return p["users/"+u]["closed"] == true }

// text returns a text field of a post; "": none.
func (p Present) text(post, field string) string {
	text, _ := p["posts/"+post][field].(string)
	return text
}

// names returns the accounts in the `to` of a post.
func (p Present) names(post string) (to []string) {
	all, _ := p["posts/"+post]["to"].([]any)
	for _, u := range all {
		to = append(to, u.(string))
	}
	return to
}

// Apply takes an operation that is done now into p. It returns the other documents that functions delete, or edit,
// because of it: the follows that a block ends, the documents of and below a deleted account, and what is below a
// deleted post.
func (p Present) Apply(o Op, now time.Time) (gone []string) {
	post := p["posts/"+o.Post]
	if o.Kind == Forbidden || (o.Kind == Comment || o.Kind == Like) && post == nil {
		return nil
	}
	switch o.Kind {
	case Block:
		gone = p.ends(o)
	case DeleteAccount:
		gone = p.traces(o.User)
	case DeletePost:
		gone = p.below(o.Post)
	default:
	}
	for _, path := range gone {
		switch {
		case strings.Contains(path, "/blocked/"): // it stays, since the account may be back before its purge
		case isPost(path) && p[path]["userId"] != o.User:
			p.write(write{update, path, map[string]any{"to": without(p[path]["to"], o.User), "refs": without(p[path]["refs"], o.User)}}, now)
		default:
			delete(p, path)
		}
	}
	for _, w := range o.writes(now, post) {
		p.write(w, now)
	}
	return gone
}

func (p Present) write(w write, now time.Time) {
	if w.how == remove {
		delete(p, w.path)
		return
	}
	fields := map[string]any{}
	if w.how != whole {
		if fields = maps.Clone(p[w.path]); fields == nil {
			if w.how == update {
				return
			}
			fields = map[string]any{}
		}
	}
	for name, value := range w.fields {
		switch value {
		case firestore.Delete:
			delete(fields, name)
		case firestore.ServerTimestamp:
			fields[name] = now
		default:
			fields[name] = value
		}
	}
	p[w.path] = fields
}

// ends returns the follows that a block ends.
func (p Present) ends(block Op) (follows []string) {
	for _, f := range []Op{{Kind: Follow, User: block.User, Author: block.Author}, {Kind: Follow, User: block.Author, Author: block.User}} {
		if path := f.Document(); p[path] != nil {
			follows = append(follows, path)
		}
	}
	return follows
}

// traces returns the documents that functions delete with an account, and the posts of others that name it.
func (p Present) traces(u string) (all []string) {
	for path, fields := range p {
		parts := strings.Split(path, "/")
		above := p["posts/"+parts[1]] // the post itself, or the one that the document is below
		to, _ := fields["to"].([]any)
		switch {
		case parts[0] == "posts" && (above["userId"] == u || fields["userId"] == u || slices.Contains(to, any(u))),
			len(parts) == 4 && (parts[1] == u || parts[3] == u && parts[2] != "blocked"): // a block by another stays
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return all
}

// below returns the documents below a post.
func (p Present) below(post string) (all []string) {
	for path := range p {
		if strings.HasPrefix(path, "posts/"+post+"/") {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return all
}

func isPost(path string) bool {
	return strings.HasPrefix(path, "posts/") && strings.Count(path, "/") == 1
}

// without returns a list without an account.
func without(value any, u string) any {
	all, _ := value.([]any)
	return slices.DeleteFunc(slices.Clone(all), func(v any) bool { return v == u })
}
