package prices

// Tallied computes the extra cost of numbers and notifications, if a configuration has them. Each cost is for one event that
// comes alone and changes something. Events of one post or account within a second share operations.
type Tallied struct {
	Counts        bool
	Notifications bool
	Told          int  // acts that a notification reads: at most six, unless few people are behind many acts
	New           bool // the notification does not exist yet
}

// number returns the cost of a changed number: its document, a count, the write, and a count after the write.
func (t Tallied) number() Counts {
	if !t.Counts {
		return Counts{}
	}
	return reads(1).Plus(counted(0), writes(1), counted(0))
}

// notification returns the cost of a changed notification. Before and after the write, it reads: the account, the acts, the
// account's blocks, the number of acts, the subject (about), and own. The write of a new notification reads the account and
// about in addition.
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

// whose returns the cost of finding the account to notify.
func (t Tallied) whose() Counts {
	if !t.Notifications {
		return Counts{}
	}
	return reads(1)
}

// Like returns the cost of a like of a post, with its author's notification. The number in the post has an event, which costs
// nothing more.
func (t Tallied) Like() Counts {
	own := reads(1)
	c := clientWrite.Plus(event, t.whose(), t.number(), t.notification(readPost, own))
	if t.Counts {
		c = c.Plus(event)
	}
	return c
}

// Comment returns the cost of a comment, which is the same as of a like.
func (t Tallied) Comment() Counts { return t.Like() }

// Follow is the extra cost of a follow: two numbers, and the author's notification.
func (t Tallied) Follow() Counts {
	return t.whose().Plus(t.number().Times(2), t.notification(Counts{}, Counts{}))
}

// tallied returns the operations with numbers and notifications. The follow's cost comes on top of another operation.
func tallied() []Operation {
	t := Tallied{Counts: true, Notifications: true, Told: 6}
	return []Operation{
		{"like, with numbers and notifications", 0, t.Like()},
		{"comment, with numbers and notifications", 0, t.Comment()},
		{"a follow more, with numbers and notifications", 0, t.Follow()},
	}
}
