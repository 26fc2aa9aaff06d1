/**
 * Source from which the app on this device reads the feed. Users do not choose it: the app uses the best source of the project.
 * A developer can choose another source in the console, which has the same origin as the app.
 */
import { type SourceName, sourcesOf } from "relationindex-client";
import type { Config } from "./config";

export const sources: Record<SourceName, string> = {
  timeline: "Timeline",
  relations: "Relations",
  feed: "Feed",
  pull: "Feed by pull",
};

/** The key of the choice in localStorage. */
export const sourceKey = "source";

/** Returns the source that was chosen on this device, if the project has it; "" stands for the best one. */
export const chosen = (config: Config): SourceName | "" => sourcesOf(config).find((name) => name === localStorage.getItem(sourceKey)) ?? "";

/** Stores the choice. If the app is open in another tab, it changes its source at once. */
export const choose = (name: SourceName | ""): void => localStorage.setItem(sourceKey, name);

/** Returns the source that the app reads. */
export const sourceOf = (config: Config): SourceName => chosen(config) || sourcesOf(config)[0] || "relations";
