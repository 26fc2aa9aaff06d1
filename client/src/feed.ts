/** The feed, by the best source that the deployment has. */
import { endpointFeed, type EndpointOptions } from "./endpoint-feed.ts";
import type { Entry } from "./entry.ts";
import type { Config } from "./config.ts";
import type { Me } from "./me.ts";
import { withOwnPosts } from "./own-posts.ts";
import type { Source } from "./paged.ts";
import { relationsFeed, type RelationsOptions } from "./relations-feed.ts";
import { timelineFeed } from "./timeline-feed.ts";

/** pull: Feed, without relations. */
export type SourceName = "timeline" | "relations" | "feed" | "pull";

/** The largest capacity at which relations come before Feed: a relation has 17 KB then. Larger relations cost more than Feed. */
const smallCapacity = 500;

/**
 * Returns the sources that a deployment has, the best first. In a timeline, a reader can hide posts and set filters. Relations are
 * live, and open without a network, but each carries up to its capacity of followers' ids. Feed is not live: it is polled.
 */
export function sourcesOf({ timelines, feedURL, capacity = Infinity }: Pick<Config, "timelines" | "feedURL" | "capacity">): SourceName[] {
  const relations: SourceName[] = timelines?.relationsOff ? [] : ["relations"];
  const asked: SourceName[] = feedURL ? ["feed"] : [];
  return [
    ...(timelines ? ["timeline" as const] : []),
    ...(capacity <= smallCapacity ? [...relations, ...asked] : [...asked, ...relations]),
    ...(asked.length > 0 ? ["pull" as const] : []),
  ];
}

export interface FeedOptions extends Omit<EndpointOptions, "source">, RelationsOptions {
  /** Another source than the best one of the deployment. */
  from?: SourceName;
}

/**
 * The account's feed: the newest posts of the accounts that it follows, from the best source that the deployment has, and the
 * account's own new posts at once. With `ref`, posts about a subject instead: these come from Feed only.
 */
export function feed<P>(me: Me<P>, { from, posts, ...options }: FeedOptions = {}): Source<Entry<P>> {
  const { config } = me.client;
  if (options.ref !== undefined) return endpointFeed(me, options);
  switch (from ?? sourcesOf(config)[0]) {
    case "timeline":
      return withOwnPosts(me, timelineFeed(me, config.timelines?.layout ?? "items"));
    case "feed":
      return withOwnPosts(me, endpointFeed(me, options));
    case "pull":
      return withOwnPosts(me, endpointFeed(me, { ...options, source: "pull" }));
    default:
      return withOwnPosts(me, relationsFeed(me, posts === undefined ? {} : { posts }));
  }
}
