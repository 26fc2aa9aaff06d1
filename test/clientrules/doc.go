// Package clientrules tests two of the three files at the root of the module that restrict clients.
// firestore.indexes.json decides which queries can be answered, and what indexes cost each write.
// firebase.json has the paths of the rules and the indexes, and the emulators' ports. The package has
// only tests, and nothing imports it. The third file, firestore.rules, is tested with the clients'
// JavaScript SDK: web/tests/rules.
//
// The emulator answers every query, with or without an index. So emulator/guard checks the index file,
// with the queries and the full documents of the two tables below.
//
// # Indexes
//
// JSON has no comments, so the reasons are here. In production, a query without an index fails at its
// first call (FAILED_PRECONDITION).
//
//	query                                                            asked by            index
//	_relations: followers contains R, createdAt desc                 feed                composite
//	_relations: audience == U, indexId == I, indexVersion < V        sync                composite
//	posts:      userId == U, or in up to 30, createdAt desc          profiles (the app),  composite
//	                                                                 pull (Feed),
//	                                                                 backfill to a horizon
//	posts:      audience in up to 30, createdAt desc                 pull (Feed),         composite
//	                                                                 backfill to a horizon
//	posts:      to contains R, createdAt desc                        pull (Feed)          composite
//	posts:      to contains R, userId == U, createdAt desc           notifications       composite
//	posts:      audience == U, hidden == false, createdAt desc       profiles, groups     composite
//	posts:      refs contains X, createdAt desc                      slices (Feed)        composite
//	posts:      … and audience == U, hidden == false                 slices (clients)     composite
//	_relations: a range of document names                            refresh, retract    none needed
//	_relations: all, by audience                                     verify              automatic, audience
//	_relations: userId == U or audience == U, by document name       purge               automatic, both
//	posts:      userId == U, or in up to 30, by document name        backfill, verify,   automatic, userId
//	                                                                 purge, profile
//	posts:      audience == G or userId == G, by document name       backfill            automatic, both
//	posts:      to or refs contains U, by document name              purge, profile      automatic, both
//	requests:   of all accounts, followerId == U                     purge               named in the file
//	settings:   of one, two by document name                         purge               none needed
//	timeline:   of all accounts, posts contains P                    timelines           named in the file
//	timeline:   of all accounts, or of one, accounts contains U      unfollow, purge     named in the file
//	timeline:   of one, posts contains P                             buckets             named in the file
//	timeline:   of one, by at or day, descending                     items, days         automatic, at, day
//	likes:      of all posts, userId == U                            purge               named in the file
//	likes:      of all posts, userId == U, postId in up to 30        likes (the app)     both, merged
//	likes:      of one, by createdAt desc                            likes (the app)     automatic, createdAt
//	notifications: of one, by at desc, or at > T                     the app             automatic, at
//	notifications: of one, actors contains U                         a block             named in the file
//	followers_index: of one, the sum of count                        counts              named in the file
//	comments:   of one, thread == T, createdAt desc                  lists, counts       composite
//	followers:  of one, createdAt of a day, desc                     notifications       automatic, createdAt
//	_functions: state in …                                           jobs, waiting       automatic, state
//	_functions: P <= wakeAt <= T, by wakeAt; sweepAt <= T, by sweepAt Sweep              automatic, both
//	_functions: state, waits, by document name                       Sweep, brake        automatic, both
//	_functions: kind, owner, state, wakeAt <= T, by wakeAt           the end of a step   composite
//	_functions: by updatedAt, descending                             jobs list           automatic, updatedAt
//	_functions: a range of document names                            purge               none needed
//	_functions: error.words contains W                               purge               named in the file
//	_functions: args.account == U, or args.author, or args.reader    purge               named in the file
//	followers, following, followers_index: all, by document name     clients, verify     none needed
//	followers, following, blocked: all, by createdAt desc            lists (the app)     automatic, createdAt
//	users:      all, by nameLower; a range of it                     people (the app)    automatic, nameLower
//
// The composites have the scope COLLECTION: a collection group query needs another index.
//
// # Exemptions
//
// Firestore indexes every field twice, up and down, unless it is exempt; and an array once more for
// its elements. Fields that no query needs are exempt where that matters. A document may have 40,000
// index entries. Each entry costs write latency and storage, and counts towards the 10 MiB of a
// transaction.
//
//	field                              why it has no automatic index
//	_relations.followers               10,000 ids and up to 2 entries for each: no room for the composite beside it
//	_relations.createdAt               grows with time, so all writes would meet at one end of the index (500 a second);
//	                                   asked for only together with followers
//	_relations.indexId, .indexVersion  asked for only in sync's composite; indexVersion changes with every follow
//	_relations.sizeBytes               never queried; changes with every follow
//	_relations.expireAt                for the TTL policy, which needs no index; grows with time
//	_relations.postId                  never queried: relations of a post are found by their names
//	timeline.entries, .fields          never queried; up to 5,000 entries of six fields each
//	timeline, all other fields         never queried
//	_hides.groups, rates.ids           never queried; up to 65 and 8 values
//	followers_index.followers          never queried; 10,000 ids
//	followers_index.changes            never queried; an array of maps, new with every follow
//	followers_index.version,           never queried; written with every follow, on the documents that are written
//	.sizeBytes, .backfilled            most. Of count, a sum needs one of two
//	following.indexId, .left, .movesTo never queried; there is such a document for each follow
//	users.followers_index,             never queried; found by the author's document, not the other way round
//	.latestFollowersIndex
//	users.counts, posts.counts         never queried; written with every follow, post, like and comment, two entries for each
//	                                   number. An app that sorts by one adds an override for it: users.counts.followers
//	notifications.expireAt             for the TTL policy, which needs no index; grows with time
//	notifications.verb, .object,       never queried; written with every follow, like and comment. Of actors, by its
//	.count                             elements alone
//	_purging.expireAt                  for the TTL policy, which needs no index
//	_functions.expireAt                for the TTL policy, which needs no index; grows with time
//	_functions.createdAt, .finishedAt  never queried; they grow with time
//	_functions.args, .value, .error,   never queried; maps (an exemption covers what is inside) and a reference, written
//	.lease, .counts, .lastDoc          with every step; but error.words by its elements, and
//	                                   three arguments that name accounts
//
// Likes keep the automatic indexes of userId and postId, which no query of ours needs. An override
// holds for every collection of the name. Many apps have likes of their own, with queries by these
// fields.
//
// An exemption does not affect composites: _relations.followers is exempt, and is in the feed's
// composite. It cannot be in a second one. Production has been seen to count two entries for each
// element of an automatic index. If it does so for composites, two of them make 40,000 before anything
// else is counted.
//
// A field that configuration copies from posts into _relations is indexed automatically. If it is an
// array, a map or a long text, add an exemption to the app's own copy of the file.
package clientrules
