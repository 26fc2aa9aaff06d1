/**
 * Source from which the app on this device reads the feed. Users do not choose it: the app uses the best source of the project.
 * A developer can choose another source in the console, which has the same origin as the app.
 */
import type { Config } from "./config";

export type SourceName = "timeline" | "relations" | "feed" | "pull";

export const sources: Record<SourceName, string> = {
  timeline: "Timeline",
  relations: "Relations",
  feed: "Feed",
  pull: "Feed by pull",
};

/** The largest capacity at which relations come before Feed: a relation has 17 KB then. Larger relations cost more than Feed. */
const smallCapacity = 500;

/**
 * Returns the sources that the project has, the best first. In a timeline, a reader can hide posts and set filters. Relations
 * are live, and open without a network. Each relation carries up to 10,000 ids of followers, unless the project's capacity is
 * small. Feed is not live: the app polls it.
 */
export function offered({ timelines, feedURL, dev }: Config): SourceName[] {
  const relations: SourceName[] = timelines?.relationsOff ? [] : ["relations"];
  const asked: SourceName[] = feedURL === undefined ? [] : ["feed"];
  const small = (dev?.capacity ?? Infinity) <= smallCapacity;
  return [...(timelines ? ["timeline" as const] : []), ...(small ? [...relations, ...asked] : [...asked, ...relations]), ...(asked.length > 0 ? ["pull" as const] : [])];
}

/** The key of the choice in localStorage. */
export const sourceKey = "source";

/** Returns the source that was chosen on this device, if the project has it; "" stands for the best one. */
export const chosen = (config: Config): SourceName | "" => offered(config).find((name) => name === localStorage.getItem(sourceKey)) ?? "";

/** Stores the choice. If the app is open in another tab, it changes its source at once. */
export const choose = (name: SourceName | ""): void => localStorage.setItem(sourceKey, name);

/** Returns the source that the app reads. */
export const sourceOf = (config: Config): SourceName => chosen(config) || offered(config)[0] || "relations";
