/**
 * Where the app on this device reads the feed from. People do not choose it: the app takes the best that the project has. A
 * developer chooses another one in the console, which is of the same origin.
 */
import { timelinesOf, type Config } from "./config";

export type SourceName = "timeline" | "relations" | "feed" | "pull";

export const sources: Record<SourceName, string> = {
  timeline: "Timeline",
  relations: "Relations",
  feed: "Feed",
  pull: "Feed by pull",
};

/**
 * Those that the project has, the best first: in a timeline a reader can hide posts and filter, both of the first two are
 * live and open without a network, and Feed has to be asked.
 */
export function offered(config: Config): SourceName[] {
  const timelines = timelinesOf(config);
  const asked = config.feedURL !== undefined;
  const all: [SourceName, boolean][] = [["timeline", timelines !== undefined], ["relations", !timelines?.relationsOff], ["feed", asked], ["pull", asked]];
  return all.filter(([, there]) => there).map(([name]) => name);
}

/** Of localStorage. */
export const sourceKey = "source";

/** What was chosen on this device, if the project has it; "" for the best. */
export const chosen = (config: Config): SourceName | "" => offered(config).find((name) => name === localStorage.getItem(sourceKey)) ?? "";

/** A page of the app that is open in another tab follows at once. */
export const choose = (name: SourceName | ""): void => localStorage.setItem(sourceKey, name);

/** What the app reads from. */
export const sourceOf = (config: Config): SourceName => chosen(config) || offered(config)[0] || "relations";
