// Package rows reads rows of text files: one row a line, in columns that a spec names, such as "follower=1,followed=2". It
// also reads the ids and times in them. It knows nothing of follows and posts, nor of where a file is.
package rows
