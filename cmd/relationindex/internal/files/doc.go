// Package files imports follows and posts from text files, and exports them into such files:
//
//	# follower followed
//	223789 213163
//	"alice","bob",2012-07-01T00:02:52Z
//
// A file is UTF-8 text, or such text compressed by gzip. It has a row on each line. A line with a
// comma is split as CSV, any other at spaces and tabs; both may be in one file. Spaces and tabs
// around a value are cut, unless they are inside its quotes. A quoted value cannot contain a line
// end. Blank lines and lines that start with # hold no row. A line ends with LF or CRLF; a line
// with any other CR cannot be read.
//
// [Open] finds a file and [Source.Rows] reads it; [Create] writes one. A [Kind] turns rows into
// documents and documents into rows. [Import] and [Direct] write documents, [Export] reads them:
//
//	in, err := files.Open(ctx, "graph.txt.gz")
//	...
//	kind := files.Follows(names.Collections{})
//	columns, err := kind.Columns("follower=1,followed=2")
//	...
//	summary, err := files.Import(ctx, client, kind.Documents(in.Rows(ctx, columns)), files.ImportOptions{})
//
// # Guarantees
//
//   - A line that is no follow or post is a [*rows.RowError], and the lines after it are read. A
//     file that cannot be read to its end, such as a gzip file that was cut short, ends with an
//     error of another type.
//   - An existing document stays unchanged. So a file may name a document twice, and may be
//     imported again. Nothing is doubled, and clients' later changes stay. [Import] counts an
//     existing document that lacks a required field apart: see [Document].
//   - When Import or Direct returns, every row that it counts is durable. After an error, import
//     the file again to write the missing documents.
//   - Memory is constant: Import and Export hold a row at a time, Direct a window.
package files
