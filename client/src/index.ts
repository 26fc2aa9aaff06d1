/** Social feeds on Firestore, for web clients. README.md has a table of costs. */
export { connect, forget, hasUnsent, type Client } from "./connect.ts";
export { hostPort, type Config, type Timelines } from "./config.ts";
export { keepPace } from "./pace.ts";
export { ClientError, codeOf, FeedError, say, type Code } from "./errors.ts";

export { changeAccount, setClosed, toAccount, toNumbers, watchAccount, type Account, type Numbers, type Posters } from "./accounts.ts";
export { everyone, findAccounts, Names, namesLike } from "./people.ts";
export { nameFields, nameKey } from "./name-key.ts";
export { byId, byTime, usersBy, type PersonItem } from "./people-lists.ts";
export { isGroup, isId } from "./ids.ts";
export { isolated, visible } from "./theirs.ts";

export { block, blocked, countFollows, follow, followers, following, isBlocked, removeFollower, unblock, unfollow, watchFollow, type Counts, type Follow } from "./follows.ts";
export { accept, ask, endRequest, requests, watchRequest, type Request as FollowRequest } from "./requests.ts";
export { changeGroup, createGroup, deleteGroup, joined, joinOwn, mayPost, owned, postable, type GroupFields } from "./groups.ts";
export { OwnCounts, type MyCounts } from "./own-counts.ts";

export { deletePost, editPost, fieldsOf, getPosts, hidePost, judgePost, maxText, maxTo, newPostId, noPost, watchPost, writePost, type Draft, type Post } from "./posts.ts";
export { groupReposts, repost, takeBackRepost, type Grouped } from "./reposts.ts";
export { audiencePosts, myPosts, type ListedPost } from "./post-lists.ts";
export { isTag, refsOf, tagPattern, tagsOf } from "./refs.ts";
export { like, ownLikes, unlike } from "./likes.ts";
export { OwnPosts } from "./own-posts.ts";
export { OwnLikes, shownLikes, type OwnLike } from "./own-likes.ts";
export { deleteComment, maxComment, watchComments, writeComment, type Comment } from "./comments.ts";

export { feed } from "./feed.ts";
export { type Entry } from "./entry.ts";
export { endpointFeed, type EndpointOptions } from "./endpoint-feed.ts";
export { relationsFeed } from "./relations-feed.ts";
export { timelineFeed } from "./timeline-feed.ts";
export { Paged, type ListState, type Page, type Source } from "./paged.ts";
export { type Item } from "./timeline.ts";
export { type Place } from "./places.ts";
export { Value } from "./value.ts";

export { hasRoom, hides, parsePattern, patternOf, wildcard, type Filters } from "./filters.ts";
export { Reader } from "./reader.ts";
export { unreadOf, type Unread } from "./unread.ts";
export { Badge } from "./badge.ts";
export { notifications, type Notification, type Verb } from "./notifications.ts";
