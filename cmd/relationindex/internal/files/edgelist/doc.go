// Package edgelist reads follows and posts from text files, for the import
// command: one row a line, a name for each column that matters.
//
//	# follower followed
//	223789 213163
//	"alice","bob",2012-07-01T00:02:52Z
//
// A file is UTF-8 text, or such text compressed by gzip. A line with a comma is
// split as CSV, any other at spaces and tabs; both may be in one file. Spaces and
// tabs around a value are cut, unless they are inside its quotes. A quoted value
// cannot contain a line end. Blank lines and lines that start with # hold no row.
// A line ends with LF or CRLF; a line with any other CR cannot be read.
//
// A line that cannot be read costs that line only: it is a [*RowError], and the
// lines after it are read. A file that cannot be read, such as a gzip file that
// was cut short, ends with an error of another type. A file takes constant memory.
package edgelist
