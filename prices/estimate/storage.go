package estimate

// postIDBytes and indexIDBytes are the lengths of the ids that Firestore makes
// for posts, and of ours for index documents.
const (
	postIDBytes  = 20
	placeBytes   = len("1764104871000000/") + postIDBytes // of a bucket
	indexIDBytes = 5
)

// The kinds of documents. Which fields are indexed is what firestore.indexes.json
// says; storage_test.go compares. What feeds show (text) is taken to be exempted, in every design.

// plainPost is a post of the designs that know no audiences.
func (in Inputs) plainPost() stored {
	d := inCollection(len("posts"), postIDBytes)
	d.fields = []field{{"userId", text(in.IDBytes), true}, {"createdAt", number, true}, {"text", float64(in.CopiedBytes), false}}
	d.composites = []composite{{1, text(in.IDBytes) + number}} // userId, createdAt: an author's own posts
	return d
}

func (in Inputs) postDocument() stored {
	d := in.plainPost()
	d.fields = append(d.fields, field{"audience", text(in.IDBytes), true}, field{"hidden", 1, true})
	d.composites = append(d.composites,
		composite{1, text(in.IDBytes) + 1 + number}, // audience, hidden, createdAt: the posts for an audience
		composite{1, text(in.IDBytes) + number},     // audience, createdAt: feeds that are read without relations
		composite{0, 0},                             // to, createdAt: this author's posts name nobody
		composite{0, 0}, composite{0, 0},            // refs, createdAt; refs, audience, hidden, createdAt: this author's posts have none
	)
	if n := float64(in.Recipients); n > 0 {
		d.fields = append(d.fields, field{"to", n * text(in.IDBytes), false})
		d.composites = append(d.composites, composite{n, text(in.IDBytes) + text(len("to"))}) // the array's own
	}
	return d
}

// ofFollow is one of the documents that a follow has below a user.
func (in Inputs) ofFollow(collection string, more ...field) stored {
	d := inCollection(len("users"), in.IDBytes, len(collection), in.IDBytes)
	d.fields = append([]field{{"createdAt", number, true}}, more...)
	return d
}

func (in Inputs) followerDocument() stored { return in.ofFollow("followers") }

func (in Inputs) edge() stored {
	return in.ofFollow("following", field{"indexId", text(indexIDBytes), false})
}

// indexDocument holds the author's mean number of ids, and a change log that
// follows have filled.
func (in Inputs) indexDocument() stored {
	const change = number + 8 + 4 // version, and the names of its two fields
	d := inCollection(len("users"), in.IDBytes, len("followers_index"), indexIDBytes)
	ids := in.meanIDs()
	d.fields = []field{
		{"followers", ids * text(in.IDBytes), false}, {"count", number, false}, {"sizeBytes", number, false},
		{"version", number, false}, {"changes", min(64<<10, ids*(text(in.IDBytes)+change)), false}, {"backfilled", 1, false},
	}
	return d
}

// relation has entries entries of the feed's index for each id: Google's example
// counts one; production has been seen to count two where it checks the limit.
func (in Inputs) relation(entries float64) stored { return in.relationOf(in.meanIDs(), entries) }

func (in Inputs) relationOf(ids, entries float64) stored {
	d := inCollection(len("_relations"), postIDBytes+1+indexIDBytes)
	d.fields = []field{
		{"postId", text(postIDBytes), false}, {"userId", text(in.IDBytes), true}, {"audience", text(in.IDBytes), true}, {"indexId", text(indexIDBytes), false},
		{"indexVersion", number, false}, {"sizeBytes", number, false}, {"followers", ids * text(in.IDBytes), false}, {"createdAt", number, false},
		{"text", float64(in.CopiedBytes), false},
	}
	d.composites = []composite{
		{entries * ids, text(in.IDBytes) + number},          // followers, createdAt: the feed
		{1, text(in.IDBytes) + text(indexIDBytes) + number}, // audience, indexId, indexVersion: sync
	}
	return d
}

// graphStorage is the author's posts and followers, with or without relations.
func (in Inputs) graphStorage() Storage {
	f, p, k := float64(in.Followers), float64(in.KeptPosts), float64(in.IndexDocuments())
	s := Storage{}.with(p, in.postDocument()).with(f, in.followerDocument()).with(f, in.edge()).with(k, in.indexDocument())
	s.Bytes += k * text(indexIDBytes) // the user document names them
	return s
}

// indexStorage is what the relation index keeps for the author.
func (in Inputs) indexStorage(entries float64) Storage {
	k := float64(in.IndexDocuments())
	s := in.graphStorage().with(float64(in.related())*k, in.relation(entries))
	if n := in.directReaders(); n > 0 {
		s = s.with(float64(in.related()), in.relationOf(float64(n), entries))
	}
	return s
}

func (in Inputs) readStorage() Storage {
	return Storage{}.with(float64(in.KeptPosts), in.plainPost()).with(float64(in.Followers), in.ofFollow("following"))
}
