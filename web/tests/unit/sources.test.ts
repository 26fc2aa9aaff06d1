import { expect, test } from "vitest";
import { type Config, sourcesOf, type SourceName } from "relationindex-client";

const feedURL = "http://feed.test";

test.for<[string, Pick<Config, "timelines" | "feedURL" | "capacity">, SourceName[]]>([
  ["the preset inbox", { timelines: { layout: "buckets" }, feedURL }, ["timeline", "feed", "relations", "pull"]],
  ["the preset small, of capacity 500", { capacity: 500, feedURL }, ["relations", "feed", "pull"]],
  ["a capacity of 501", { capacity: 501, feedURL }, ["feed", "relations", "pull"]],
  ["the preset popular, of capacity 10,000", { capacity: 10_000, feedURL }, ["feed", "relations", "pull"]],
  ["a deployment that does not say its capacity", { feedURL }, ["feed", "relations", "pull"]],
  ["a deployment without Feed", { capacity: 10_000 }, ["relations"]],
  ["a deployment with timelines alone", { timelines: { layout: "items", relationsOff: true } }, ["timeline"]],
  ["the same with Feed", { timelines: { layout: "items", relationsOff: true }, feedURL, capacity: 100 }, ["timeline", "feed", "pull"]],
])("the sources of %s, the best first", ([, config, want]) => expect(sourcesOf(config)).toEqual(want));
