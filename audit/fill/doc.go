// Package fill brings existing data up to date. It writes the fields audience and hidden into
// posts that lack them, as those of earlier clients do: clients' queries of posts require both.
// And it brings existing posts to timelines that were turned on. It serves commands and tests
// alone. No function links it.
package fill
