package edgelist

const (
	// MaxLineBytes is the longest line that is read, without its line end. A row
	// of two ids at Firestore's limit has about 3,000 bytes, so a line beyond this
	// belongs to a file of another kind.
	MaxLineBytes = 64 << 10

	// MaxColumn is the highest column number that [ParseColumns] accepts, so that
	// a slip such as follower=11111 is found before the first row is read.
	MaxColumn = 1000

	// excerptBytes is how much of what was read an error may show.
	excerptBytes = 80

	// maxIDBytes is the longest document id that Firestore accepts, in bytes of
	// UTF-8. Source: "Quotas and limits", section "Collections, documents, and
	// fields", https://docs.cloud.google.com/firestore/quotas, as of 2026; not
	// tried in production.
	maxIDBytes = 1500

	// maxUnixSeconds is where a number stops being seconds and starts being
	// milliseconds: the year 5138 in seconds, 3 March 1973 in milliseconds.
	maxUnixSeconds = 100_000_000_000
)
