package repair

import (
	"maps"
	"slices"

	"example.com/relationindex/followers"
	"example.com/relationindex/schema"
)

// placesPlan lists the writes of a transaction on the places of some followers.
type placesPlan struct {
	documents []followers.DocumentChange
	edges     map[string]schema.Edge // to write
	gone      []string               // followers whose edges are deleted
	// homeless are followers without a place: a members transaction gives them one.
	homeless []string
	// unsettled are followers whose edges name index documents that they left.
	unsettled []string
}

// planPlaces makes index documents and edges match who follows.
//
// Users who do not follow lose all places and the edge. A follower keeps one place: in
// the index document that the edge names, or else in another that holds the follower.
// If none holds the follower, the document that the edge names takes the follower back.
//
// A document above its limits loses followers in follows until it is within them. A
// closing document loses only followers with another place: the others would miss posts
// until the relations of a new place exist.
//
// documents are the existing index documents, with their followers, that hold any of
// follows or that their edges name.
func planPlaces(follows []followers.State, documents map[string]schema.IndexDocument, opts schema.Config) placesPlan {
	p := places{documents: map[string]*followers.DocumentChange{}, holders: map[string][]string{}, opts: opts}
	looked := map[string]bool{}
	for _, f := range follows {
		looked[f.ID] = true
	}
	for _, id := range slices.Sorted(maps.Keys(documents)) {
		after := documents[id]
		ids, size := schema.DistinctIDs(after.Followers)
		after.Count, after.SizeBytes = len(ids), size
		p.documents[id] = &followers.DocumentChange{ID: id, After: after}
		for _, f := range ids {
			if looked[f] {
				p.holders[f] = append(p.holders[f], id)
			}
		}
	}
	plan := placesPlan{edges: map[string]schema.Edge{}}
	for _, f := range follows { // first, because they make room
		if f.Since.IsZero() {
			p.evict(f, &plan)
		}
	}
	for _, f := range follows {
		if !f.Since.IsZero() {
			p.keep(f, &plan)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(p.documents)) {
		if c := p.documents[id]; len(c.Add)+len(c.Remove) > 0 {
			c.After.Version++
			c.After.Changes = followers.AppendChange(c.After.Changes,
				schema.Change{Version: c.After.Version, Add: c.Add, Remove: c.Remove}, schema.MaxChangesBytes)
			plan.documents = append(plan.documents, *c)
		}
	}
	return plan
}

// places are index documents while planPlaces changes them.
type places struct {
	documents map[string]*followers.DocumentChange
	holders   map[string][]string // by follower, in order
	opts      schema.Config
}

// evict removes a user who does not follow from all index documents.
func (p *places) evict(f followers.State, plan *placesPlan) {
	for _, id := range p.holders[f.ID] {
		p.remove(id, f.ID)
	}
	switch {
	case f.Edge == nil:
	case len(f.Edge.Left) == 0:
		plan.gone = append(plan.gone, f.ID)
	default:
		plan.unsettled = append(plan.unsettled, f.ID)
		if f.Edge.IndexID != "" {
			plan.edges[f.ID] = schema.Edge{CreatedAt: f.Edge.CreatedAt, Left: f.Edge.Left}
		}
	}
}

// keep leaves a follower one place.
func (p *places) keep(f followers.State, plan *placesPlan) {
	want := schema.Edge{CreatedAt: f.Since, Left: f.Left()}
	named := ""
	if f.Edge != nil {
		named = f.Edge.IndexID
		if !f.Edge.CreatedAt.IsZero() {
			want.CreatedAt = f.Edge.CreatedAt
		}
	}
	holders := slices.Clone(p.holders[f.ID])
	if n := slices.Index(holders, named); n > 0 {
		holders[0], holders[n] = holders[n], holders[0]
	}
	stays := slices.IndexFunc(holders, func(id string) bool { return !p.tooFull(id) })
	if stays < 0 {
		stays = slices.IndexFunc(holders, func(id string) bool { return p.documents[id].After.Closing })
	}
	for n, id := range holders {
		if n == stays {
			want.IndexID = id
			continue
		}
		p.remove(id, f.ID)
		if !slices.Contains(want.Left, id) {
			want.Left = append(slices.Clone(want.Left), id) // if repair dies, an unfollow syncs it
		}
	}
	if _, there := p.documents[named]; there && want.IndexID == "" && !slices.Contains(holders, named) && p.room(named, f.ID) {
		p.add(named, f.ID)
		want.IndexID = named
	}
	if want.IndexID == "" {
		plan.homeless = append(plan.homeless, f.ID)
	}
	if len(want.Left) > 0 {
		plan.unsettled = append(plan.unsettled, f.ID)
	}
	same := f.Edge != nil && f.Edge.IndexID == want.IndexID && f.Edge.CreatedAt.Equal(want.CreatedAt) &&
		f.Edge.MovesTo == "" && slices.Equal(f.Edge.Left, want.Left)
	if !same && (f.Edge != nil || want.IndexID != "") {
		plan.edges[f.ID] = want
	}
}

func (p *places) tooFull(id string) bool {
	after := p.documents[id].After
	return after.Closing || after.Count > p.opts.Capacity || after.SizeBytes > p.opts.FollowersBytes
}

func (p *places) room(id, f string) bool {
	after := p.documents[id].After
	return !after.Closing && after.Count < p.opts.Capacity && after.SizeBytes+schema.IDBytes(f) <= p.opts.FollowersBytes
}

func (p *places) remove(id, f string) {
	c := p.documents[id]
	c.Remove = append(c.Remove, f)
	c.After.Count--
	c.After.SizeBytes -= schema.IDBytes(f)
}

func (p *places) add(id, f string) {
	c := p.documents[id]
	c.Add = append(c.Add, f)
	c.After.Count++
	c.After.SizeBytes += schema.IDBytes(f)
}
