/**
 * Where the app on this device reads the feed from. People do not choose it: the app takes the best that the project has. A
 * developer chooses another one in the console, which is of the same origin.
 */
import type { Config } from "./config";

export type SourceName = "timeline" | "relations" | "feed" | "pull";

export const sources: Record<SourceName, string> = {
  timeline: "Timeline",
  relations: "Relations",
  feed: "Feed",
  pull: "Feed by pull",
};

/** Relations of at most so many ids are listened to: 17 KB each. Feed is cheaper than larger ones. */
const smallCapacity = 500;

/**
 * Those that the project has, the best first. In a timeline a reader can hide posts and filter. Relations are live, and open
 * without a network, but each carries the ids of up to 10,000 followers, unless the project's are small. Feed has to be asked.
 */
export function offered({ timelines, feedURL, dev }: Config): SourceName[] {
  const relations: SourceName[] = timelines?.relationsOff ? [] : ["relations"];
  const asked: SourceName[] = feedURL === undefined ? [] : ["feed"];
  const small = (dev?.capacity ?? Infinity) <= smallCapacity;
  return [...(timelines ? ["timeline" as const] : []), ...(small ? [...relations, ...asked] : [...asked, ...relations]), ...(asked.length > 0 ? ["pull" as const] : [])];
}

/** Of localStorage. */
export const sourceKey = "source";

/** What was chosen on this device, if the project has it; "" for the best. */
export const chosen = (config: Config): SourceName | "" => offered(config).find((name) => name === localStorage.getItem(sourceKey)) ?? "";

/** A page of the app that is open in another tab follows at once. */
export const choose = (name: SourceName | ""): void => localStorage.setItem(sourceKey, name);

/** What the app reads from. */
export const sourceOf = (config: Config): SourceName => chosen(config) || offered(config)[0] || "relations";
