import { expect, test } from "vitest";

import { sourcesOf } from "../../../client/src/feed.ts";

const feedURL = "https://example.com/Feed";

test("the app prefers a timeline, and listens only to small relations", () => {
  expect(sourcesOf({})).toEqual(["relations"]);
  expect(sourcesOf({ feedURL })).toEqual(["feed", "relations", "pull"]);
  expect(sourcesOf({ feedURL, timelines: { layout: "items" } })).toEqual(["timeline", "feed", "relations", "pull"]);
  expect(sourcesOf({ feedURL, capacity: 500 })).toEqual(["relations", "feed", "pull"]);
  expect(sourcesOf({ feedURL, capacity: 501 })).toEqual(["feed", "relations", "pull"]);
  expect(sourcesOf({ timelines: { layout: "days", relationsOff: true } })).toEqual(["timeline"]);
});
