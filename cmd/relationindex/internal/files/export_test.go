package files

var (
	OpenLocal = openLocal
	PostID    = postID
)
