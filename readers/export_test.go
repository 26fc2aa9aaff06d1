package readers

// ReachingApart is [Reaching] with another maxApart.
var ReachingApart = reaching
