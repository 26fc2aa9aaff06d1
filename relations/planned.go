package relations

// RelationsPerTransaction is how many relations one transaction of fanout,
// refresh or retract writes under these options: what an operation's reads depend
// on, since each transaction reads the post again.
func (o Options) RelationsPerTransaction() int { return o.withDefaults().perFullTransaction() }
