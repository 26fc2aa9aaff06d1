// Package edgelist reads follows and posts from text files, for the import
// command: one row per line, a name for each column that matters.
//
//	# follower followed
//	223789 213163
//	"alice","bob",2012-07-01T00:02:52Z
//
// Reading a file takes four steps: [ParseColumns] turns the user's
// "follower=1,followed=2" into [Columns], [Open] opens the file and
// decompresses it, [Rows] walks over its lines, and [ParseID] and [ParseTime]
// check the values of a row:
//
//	columns, err := edgelist.ParseColumns(spec, []string{"follower", "followed"})
//	...
//	in, err := edgelist.Open(path)
//	...
//	defer in.Close()
//	for row, err := range edgelist.Rows(path, in, columns) {
//		if bad, ok := errors.AsType[*edgelist.RowError](err); ok {
//			skipped = append(skipped, bad)
//			continue
//		}
//		if err != nil {
//			return err
//		}
//		follow(row.Get("follower"), row.Get("followed"))
//	}
//
// # The format
//
//   - A file is UTF-8 text, as it is or compressed by gzip, which is told by its
//     first bytes and not by its name. A byte order mark at its start is skipped.
//   - A line ends in LF or CRLF, the last one in nothing if it likes. It has at
//     most [MaxLineBytes].
//   - A blank line, and a line that starts with # after any spaces and tabs, holds
//     no row.
//   - A line with a comma is split at its commas. Spaces and tabs around a value
//     are dropped. A value may stand in double quotes, and then may contain commas,
//     outer spaces, and double quotes written twice, as in RFC 4180; it cannot
//     contain a line end.
//   - A line without a comma is split at runs of spaces and tabs. Quotes have no
//     meaning in it.
//   - Each line is split by what it contains, so one file may mix the two.
//
// # What holds
//
//   - A file is read in one pass and in constant memory, however long it is.
//   - A row that is returned has every required column, and none of them is empty.
//   - A line that cannot be read costs that line only: it is a [*RowError], and
//     the lines after it are read. A file that cannot be read, such as a gzip file
//     that was cut short, ends the walk with an error of another type. Half a line
//     before such an end is never taken for a row.
//   - No error shows more than 80 bytes of what was read, and shows them quoted.
//
// The package is not for CSV files in general: it has no header line, no other
// separator and no value that spans lines. It does not look for duplicate rows.
package edgelist
