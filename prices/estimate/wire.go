package estimate

import (
	"google.golang.org/protobuf/encoding/protowire"

	"example.com/relationindex/prices"
	"example.com/relationindex/schema"
)

// What a query's answer takes on the wire, uncompressed, in protocol buffers:
// Firestore charges the serialized answer, without what HTTP and TLS add.

// timeBytes is a timestamp of today with microseconds.
const timeBytes = 12

// projectBytes is the length of a project's id: names are long on the wire.
const projectBytes = 20

func message(field protowire.Number, n int) int {
	return protowire.SizeTag(field) + protowire.SizeBytes(n)
}

func stringValue(n int) int { return message(17, n) }

var timestampValue = message(10, timeBytes)

// arrayValue is an array of n strings.
func arrayValue(n float64, idBytes int) int {
	return message(9, int(n*float64(message(1, stringValue(idBytes)))))
}

// answer is a document with fields in the answer of a query.
func answer(path int, fields ...int) float64 {
	const prefix = len("projects//databases/(default)/documents/") + projectBytes
	size := message(1, prefix+path) + 2*message(3, timeBytes) // created, updated
	for _, f := range fields {
		size += message(2, f)
	}
	return float64(message(1, size) + message(3, timeBytes)) // and when it was read
}

// wireField is a field with a value of so many bytes.
func wireField(name string, value int) int { return message(1, len(name)) + message(2, value) }

// shown are the fields that every design sends of a post.
func (in Inputs) shown() []int {
	return []int{
		wireField("userId", stringValue(in.IDBytes)), wireField("createdAt", timestampValue),
		wireField("text", stringValue(in.CopiedBytes)),
	}
}

// entryAnswer is about what Feed sends of a post before it is compressed.
func (in Inputs) entryAnswer() float64 {
	return answer(len("users//feed/")+in.IDBytes+postIDBytes, append(in.shown(), wireField("postId", stringValue(postIDBytes)))...)
}

func (in Inputs) postAnswer() float64 { return answer(len("posts/")+postIDBytes, in.shown()...) }

func (in Inputs) followingAnswer() float64 {
	return answer(len("users//following/")+2*in.IDBytes, wireField("createdAt", timestampValue))
}

// relationAnswer is a whole relation: clients cannot ask for less.
func (in Inputs) relationAnswer() float64 {
	return answer(len("_relations/")+postIDBytes+1+indexIDBytes, append(in.shown(),
		wireField("postId", stringValue(postIDBytes)), wireField("audience", stringValue(in.IDBytes)), wireField("indexId", stringValue(indexIDBytes)),
		wireField("indexVersion", 4), wireField("sizeBytes", 4), wireField("followers", arrayValue(in.pageIDs(), in.IDBytes)))...)
}

// The bytes of one page of a feed.

// RelationPage is a page as clients of the relation index load it.
func (in Inputs) RelationPage() float64 { return float64(in.PageSize) * in.relationAnswer() }

// EntryPage is a page through Feed.
func (in Inputs) EntryPage() float64 { return float64(in.PageSize) * in.entryAnswer() }

// MergedPage is a page of fan-out on read: what all queries answer, and whom the reader follows.
func (in Inputs) MergedPage() float64 {
	size := float64((prices.Parts(in.Following, prices.InLimit)+in.directQueries())*in.PageSize) * in.postAnswer()
	if !in.CachedFollowing {
		size += float64(in.Following) * in.followingAnswer()
	}
	return size
}

// TimelinePage is a page of timelines, as clients load it: whole documents.
func (in Inputs) TimelinePage() float64 {
	x := in.timelines()
	documents, entries := in.timelinePage(x, false).Reads, 1.0
	switch x.Layout {
	case schema.LayoutBuckets:
		entries = (float64(x.Bucket+1)/2 + (documents-1)*float64(x.Bucket)) / documents // open has half as many
	case schema.LayoutDays:
		entries = float64(in.readerPerDay())
	}
	return documents * in.timelineAnswer(entries)
}

// timelineAnswer is a document of a timeline with so many entries.
func (in Inputs) timelineAnswer(entries float64) float64 {
	id := stringValue(in.IDBytes)
	entry := []int{
		wireField("post", stringValue(postIDBytes)), wireField("author", id), wireField("audience", id), wireField("at", integerValue),
		wireField("fields", mapValue(wireField("text", stringValue(in.CopiedBytes)))),
	}
	path := len("users//timeline/") + in.IDBytes
	accounts := wireField("accounts", arrayValue(min(entries, float64(max(1, in.Following))), in.IDBytes))
	if in.Layout == schema.LayoutItems {
		return answer(path+postIDBytes, append(entry, accounts, wireField("posts", arrayValue(1, postIDBytes)))...)
	}
	all := int(entries * float64(message(1, message(1, postIDBytes)+message(2, mapValue(entry...)))))
	fields := []int{accounts, wireField("posts", arrayValue(entries, postIDBytes)), wireField("entries", message(6, all))}
	if in.Layout == schema.LayoutDays {
		fields = append(fields, wireField("day", stringValue(len("2026-11-23"))))
	} else {
		fields = append(fields, wireField("sequence", 4), wireField("size", 4), wireField("slots", 4),
			wireField("from", stringValue(placeBytes)), wireField("to", stringValue(placeBytes)))
	}
	return answer(path+len("past-00000001"), fields...)
}

// integerValue is a large integer.
const integerValue = 9

// mapValue is a map with fields.
func mapValue(fields ...int) int {
	size := 0
	for _, f := range fields {
		size += message(1, f)
	}
	return message(6, size)
}
