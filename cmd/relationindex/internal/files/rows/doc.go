// Package rows reads rows of text files: one row a line, in columns that a spec names, such as "follower=1,followed=2".
// It also reads the ids and times in rows. It is independent of follows, posts and the places of files.
package rows
