package relations

import (
	"maps"
	"slices"
)

// placesPlan is what a transaction on the places of some followers writes.
type placesPlan struct {
	documents []documentChange
	mirrors   map[string]Mirror // to write
	gone      []string          // followers whose mirrors are deleted
	// homeless are followers without a place: a members transaction gives them one.
	homeless []string
	// unsettled are followers whose mirrors name index documents that they left.
	unsettled []string
}

// planPlaces makes index documents and mirrors match who follows.
//
// Users who do not follow lose all places and the mirror. A follower keeps one place: in
// the index document that the mirror names, or else in another that holds the follower.
// If none holds the follower, the document that the mirror names takes the follower back.
//
// A document above its limits loses followers in follows until it is within them. A
// closing document loses only followers with another place: the others would miss posts
// until the relations of a new place exist.
//
// documents are the existing index documents, with their followers, that hold any of
// follows or that their mirrors name.
func planPlaces(follows []follow, documents map[string]IndexDocument, opts Options) placesPlan {
	p := places{documents: map[string]*documentChange{}, holders: map[string][]string{}, opts: opts}
	looked := map[string]bool{}
	for _, f := range follows {
		looked[f.id] = true
	}
	for _, id := range slices.Sorted(maps.Keys(documents)) {
		after := documents[id]
		followers, size := distinct(after.Followers)
		after.Count, after.SizeBytes = len(followers), size
		p.documents[id] = &documentChange{id: id, after: after}
		for _, f := range followers {
			if looked[f] {
				p.holders[f] = append(p.holders[f], id)
			}
		}
	}
	plan := placesPlan{mirrors: map[string]Mirror{}}
	for _, f := range follows { // first, because they make room
		if f.since.IsZero() {
			p.evict(f, &plan)
		}
	}
	for _, f := range follows {
		if !f.since.IsZero() {
			p.keep(f, &plan)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(p.documents)) {
		if c := p.documents[id]; len(c.add)+len(c.remove) > 0 {
			c.after.Version++
			c.after.Changes = appendChange(c.after.Changes,
				Change{Version: c.after.Version, Add: c.add, Remove: c.remove}, maxChangesBytes)
			plan.documents = append(plan.documents, *c)
		}
	}
	return plan
}

// places are index documents while planPlaces changes them.
type places struct {
	documents map[string]*documentChange
	holders   map[string][]string // by follower, in order
	opts      Options
}

// evict removes a user who does not follow from all index documents.
func (p *places) evict(f follow, plan *placesPlan) {
	for _, id := range p.holders[f.id] {
		p.remove(id, f.id)
	}
	switch {
	case f.mirror == nil:
	case len(f.mirror.Left) == 0:
		plan.gone = append(plan.gone, f.id)
	default:
		plan.unsettled = append(plan.unsettled, f.id)
		if f.mirror.IndexID != "" {
			plan.mirrors[f.id] = Mirror{CreatedAt: f.mirror.CreatedAt, Left: f.mirror.Left}
		}
	}
}

// keep leaves a follower one place.
func (p *places) keep(f follow, plan *placesPlan) {
	want := Mirror{CreatedAt: f.since, Left: f.left()}
	named := ""
	if f.mirror != nil {
		named = f.mirror.IndexID
		if !f.mirror.CreatedAt.IsZero() {
			want.CreatedAt = f.mirror.CreatedAt
		}
	}
	holders := slices.Clone(p.holders[f.id])
	if n := slices.Index(holders, named); n > 0 {
		holders[0], holders[n] = holders[n], holders[0]
	}
	stays := slices.IndexFunc(holders, func(id string) bool { return !p.tooFull(id) })
	if stays < 0 {
		stays = slices.IndexFunc(holders, func(id string) bool { return p.documents[id].after.closing })
	}
	for n, id := range holders {
		if n == stays {
			want.IndexID = id
			continue
		}
		p.remove(id, f.id)
		if !slices.Contains(want.Left, id) {
			want.Left = append(slices.Clone(want.Left), id) // if repair dies, an unfollow syncs it
		}
	}
	if _, there := p.documents[named]; there && want.IndexID == "" && !slices.Contains(holders, named) && p.room(named, f.id) {
		p.add(named, f.id)
		want.IndexID = named
	}
	if want.IndexID == "" {
		plan.homeless = append(plan.homeless, f.id)
	}
	if len(want.Left) > 0 {
		plan.unsettled = append(plan.unsettled, f.id)
	}
	same := f.mirror != nil && f.mirror.IndexID == want.IndexID && f.mirror.CreatedAt.Equal(want.CreatedAt) &&
		f.mirror.MovesTo == "" && slices.Equal(f.mirror.Left, want.Left)
	if !same && (f.mirror != nil || want.IndexID != "") {
		plan.mirrors[f.id] = want
	}
}

func (p *places) tooFull(id string) bool {
	after := p.documents[id].after
	return after.closing || after.Count > p.opts.Capacity || after.SizeBytes > p.opts.FollowersBytes
}

func (p *places) room(id, f string) bool {
	after := p.documents[id].after
	return !after.closing && after.Count < p.opts.Capacity && after.SizeBytes+idBytes(f) <= p.opts.FollowersBytes
}

func (p *places) remove(id, f string) {
	c := p.documents[id]
	c.remove = append(c.remove, f)
	c.after.Count--
	c.after.SizeBytes -= idBytes(f)
}

func (p *places) add(id, f string) {
	c := p.documents[id]
	c.add = append(c.add, f)
	c.after.Count++
	c.after.SizeBytes += idBytes(f)
}
