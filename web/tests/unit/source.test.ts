import { expect, test } from "vitest";

import { offered } from "../../src/shared/source.ts";

const config = { firebase: { projectId: "demo", apiKey: "demo" } };
const dev = { followersBytes: 0, collections: { users: "users", followers: "followers", posts: "posts" } };
const feedURL = "https://example.com/Feed";

test("the app prefers a timeline, and listens only to small relations", () => {
  expect(offered(config)).toEqual(["relations"]);
  expect(offered({ ...config, feedURL })).toEqual(["feed", "relations", "pull"]);
  expect(offered({ ...config, feedURL, timelines: { layout: "items" } })).toEqual(["timeline", "feed", "relations", "pull"]);
  expect(offered({ ...config, feedURL, dev: { ...dev, capacity: 500 } })).toEqual(["relations", "feed", "pull"]);
  expect(offered({ ...config, feedURL, dev: { ...dev, capacity: 501 } })).toEqual(["feed", "relations", "pull"]);
  expect(offered({ ...config, timelines: { layout: "days", relationsOff: true } })).toEqual(["timeline"]);
});
