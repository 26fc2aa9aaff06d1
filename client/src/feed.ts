import type { Client } from "./connect.ts";
import { endpointFeed, type EndpointOptions } from "./endpoint-feed.ts";
import type { Entry } from "./entry.ts";
import type { Source } from "./paged.ts";
import { relationsFeed } from "./relations-feed.ts";
import { timelineFeed } from "./timeline-feed.ts";

/**
 * The feed, from where this project is read best: through Feed if it has an address, else my timeline if the functions keep
 * one, else relations. Each of the three says what it costs; take one of them yourself to have another.
 *
 * @param options of endpointFeed
 */
export function feed({ auth, db, config }: Client, me: string, options: EndpointOptions = {}): Source<Entry> {
  const { feedURL, timelines } = config;
  if (feedURL) return endpointFeed(feedURL, async () => (await auth.currentUser?.getIdToken()) ?? "", options);
  return timelines ? timelineFeed(db, me, timelines.layout) : relationsFeed(db, me);
}
