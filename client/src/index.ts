/** Social feeds on Firestore, for web clients. README.md has a table of costs. */
export { connect, hasUnsent, signOutAndForget, type Client, type Options } from "./connect.ts";
export { type Config, type Timelines } from "./config.ts";
export { type Me } from "./me.ts";
export { timeOf, type Decoder, type Fields } from "./fields.ts";
export { ClientError, codeOf, errorMessage, errorTexts, FeedError, reasonOf, type Code, type Reason } from "./errors.ts";

export { Paged, type ListOptions, type ListState, type Page, type Source } from "./paged.ts";
export { type Item } from "./timeline.ts";
export { Value } from "./value.ts";

export { feed, sourcesOf, type FeedOptions, type SourceName } from "./feed.ts";
export { endpointFeed, type EndpointOptions } from "./endpoint-feed.ts";
export { relationsFeed, type RelationsOptions } from "./relations-feed.ts";
export { timelineFeed } from "./timeline-feed.ts";
export { type Entry } from "./entry.ts";
export { type Place } from "./places.ts";

export { changeProfile, watchAccount, type Account, type Numbers, type Posters, type ProfileFields } from "./accounts.ts";
export { Accounts } from "./account-cache.ts";
export {
  accountsByName,
  blocked,
  findAccounts,
  followers,
  following,
  followRequests,
  joinedGroups,
  ownedGroups,
  ownPosts,
  postsToAudience,
  type AccountItem,
  type NamedItem,
  type PostItem,
} from "./lists.ts";
export { nameKey } from "./name-key.ts";
export { isGroup, isId } from "./ids.ts";
export { isolatedText, visibleText } from "./theirs.ts";

export {
  acceptRequest,
  block,
  countFollows,
  declineRequest,
  follow,
  isBlocked,
  removeFollower,
  requestFollow,
  unblock,
  unfollow,
  withdrawRequest,
  type FollowCounts,
  type Whom,
} from "./follows.ts";
export { OwnFollows, type OwnFollow } from "./own-follows.ts";
export { OwnCounts, type MyCounts } from "./own-counts.ts";
export { changeGroup, createGroup, deleteGroup, groupsToPostTo, joinOwnGroup, mayPost, type GroupFields } from "./groups.ts";

export { deletePost, editPost, getPosts, hidePost, maxText, maxTo, moderatePost, newPostId, watchPost, writePost, type Draft, type Post } from "./posts.ts";
export { groupReposts, repost, undoRepost, type Grouped } from "./reposts.ts";
export { isTag, refsOf, tagPattern, tagsOf } from "./refs.ts";
export { like, ownLikes, unlike } from "./likes.ts";
export { OwnLikes, shownLikes, type OwnLike } from "./own-likes.ts";
export { comments, deleteComment, maxComment, writeComment, type Comment } from "./comments.ts";

export { hasRoom, isFiltered, parsePattern, patternOf, wildcard, type Filters } from "./filters.ts";
export { Reader } from "./reader.ts";
export { unreadOf, type Unread } from "./unread.ts";
export { Badge } from "./badge.ts";
export { notifications, type Notification, type Verb } from "./notifications.ts";
