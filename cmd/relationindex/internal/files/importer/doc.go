// Package importer writes follows and posts from text files. [Write] writes them
// as clients would: follow documents and posts, nothing derived; the functions
// do the rest. [Direct] writes follows with everything that is derived from
// them, many at once, for a graph that exists already.
//
// A file goes through three steps, which can be used apart: [Follows] or
// [Posts] turns its rows into documents, one error for each line that is none,
// and [Write] writes them, many at once:
//
//	in, err := edgelist.Open(path)
//	...
//	columns, err := importer.FollowColumns("follower=1,followed=2")
//	...
//	documents := importer.Follows(path, in, columns, names.Collections{})
//	summary, err := importer.Write(ctx, client, documents, importer.Options{})
//
// # What holds
//
//   - A document that is there already is left as it is. A file may name it
//     twice, and may be imported again: nothing is doubled and nothing that a
//     client has changed since is lost. It is counted, but not as imported if
//     it has fields of other names: see [Document].
//   - A line that is no follow or post costs that line only. It is reported and
//     counted, and the others are imported.
//   - When Write or Direct returns, every row that it counts is durable. After
//     an error, importing the file again does what is missing.
//
// Write reads rows one at a time, Direct a window at a time, so a file may be of
// any size.
package importer
