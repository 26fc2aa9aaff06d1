import { expect, test } from "vitest";

import { offered } from "../../src/shared/source.ts";

const config = { firebase: { projectId: "demo", apiKey: "demo" } };
const feedURL = "https://example.com/Feed";

test("the app reads from what is live first, and of that from where a reader can hide", () => {
  expect(offered(config)).toEqual(["relations"]);
  expect(offered({ ...config, feedURL })).toEqual(["relations", "feed", "pull"]);
  expect(offered({ ...config, feedURL, timelines: { layout: "items" } })).toEqual(["timeline", "relations", "feed", "pull"]);
  expect(offered({ ...config, timelines: { layout: "days", relationsOff: true } })).toEqual(["timeline"]);
});
