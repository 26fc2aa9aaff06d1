import type { Client } from "./connect.ts";
import { endpointFeed, type EndpointOptions } from "./endpoint-feed.ts";
import type { Entry } from "./entry.ts";
import type { Source } from "./paged.ts";
import { relationsFeed } from "./relations-feed.ts";
import { timelineFeed } from "./timeline-feed.ts";

/**
 * Returns the project's best source of the feed: the function Feed if config has its address, else the account's timeline if the
 * functions write one, else relations. To choose yourself, call endpointFeed, timelineFeed or relationsFeed; each gives its cost.
 *
 * @param options for endpointFeed
 */
export function feed({ auth, db, config }: Client, me: string, options: EndpointOptions = {}): Source<Entry> {
  const { feedURL, timelines } = config;
  if (feedURL) return endpointFeed(feedURL, async () => (await auth.currentUser?.getIdToken()) ?? "", options);
  return timelines ? timelineFeed(db, me, timelines.layout) : relationsFeed(db, me);
}
