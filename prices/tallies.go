package prices

// Tallied is what numbers and notifications cost on top, where a configuration has them. Each alone is said for one event
// that comes alone, and is about what has changed: events of one post or account that come within a second share.
type Tallied struct {
	Counts        bool
	Notifications bool
	Told          int  // acts that a notification reads: at most six, unless few people are behind many
	New           bool // the notification is not there yet
}

// number is one that has changed: its document, a count, the write, and a count after it.
func (t Tallied) number() Counts {
	if !t.Counts {
		return Counts{}
	}
	return reads(1).Plus(counted(0), writes(1), counted(0))
}

// notification is one that has changed, of which is read before and after the write: the account, the acts, whom the account
// blocks, how many there are, what it is about, and own. The write of a new one reads the account and what it is about.
func (t Tallied) notification(about, own Counts) Counts {
	if !t.Notifications {
		return Counts{}
	}
	derived := readUser.Plus(query(t.Told), query(0), counted(0), about, own)
	c := reads(1).Plus(derived, writes(1), derived)
	if t.New {
		c = c.Plus(readUser, about)
	}
	return c
}

// whose is the look for who is told.
func (t Tallied) whose() Counts {
	if !t.Notifications {
		return Counts{}
	}
	return reads(1)
}

// Like is a like of a post, with what its author is told. The number in the post has an event, which costs nothing more.
func (t Tallied) Like() Counts {
	own := reads(1)
	c := clientWrite.Plus(event, t.whose(), t.number(), t.notification(readPost, own))
	if t.Counts {
		c = c.Plus(event)
	}
	return c
}

// Comment is the same of a comment.
func (t Tallied) Comment() Counts { return t.Like() }

// Follow is the extra cost of a follow: two numbers, and the author's notification.
func (t Tallied) Follow() Counts {
	return t.whose().Plus(t.number().Times(2), t.notification(Counts{}, Counts{}))
}

// tallied are the operations with numbers and notifications, of which the follow comes on top of another one.
func tallied() []Operation {
	t := Tallied{Counts: true, Notifications: true, Told: 6}
	return []Operation{
		{"like, with numbers and notifications", 0, t.Like()},
		{"comment, with numbers and notifications", 0, t.Comment()},
		{"a follow more, with numbers and notifications", 0, t.Follow()},
	}
}
