import { describe, expect, test } from "vitest";

import { isId } from "relationindex-client";
import { href, parse } from "../../src/app/routes.ts";
import { badIds } from "../ids.ts";

describe("an address", () => {
  test("of an id that no document can have is nowhere", () => {
    for (const [what, id] of Object.entries(badIds)) {
      for (const address of [`#/u/${id}`, `#/u/${id}/members`, `#/about/${id}`, `#/p/${id}`])
        expect(parse(address), `${what}: ${address}`).toEqual({ to: "nowhere" });
    }
  });

  test("that no page has is nowhere", () => {
    for (const address of [
      "nonsense",
      "/nonsense",
      "/p/%ZZ",
      "/u",
      "/u/",
      "/p",
      "/about/",
      "/feed/x",
      "/notifications/1",
      "/settings/x",
      "/people/following/x",
      "/u/ada/members/x",
      "/p/p1/x",
      "/%",
      "/constructor",
      "/\u202e",
      "/people//following",
    ]) {
      expect(parse(`#${address}`), address).toEqual({ to: "nowhere" });
    }
  });

  test("without a page is the feed", () => {
    for (const address of ["", "#", "#/", "#//", "#/feed", "#/feed/"]) expect(parse(address), address).toEqual({ to: "feed" });
  });

  test("of any other id is its account's", () => {
    for (const id of ["ada", "g_1", "...", "a.b", "__x", "x__", "_x_", "é\u202e", "a b", "%2F", "100%", "x".repeat(1_500)]) {
      expect(isId(id), id.slice(0, 20)).toBe(true);
      expect(parse(href({ to: "profile", uid: id, part: "members" }))).toEqual({ to: "profile", uid: id, part: "members" });
      expect(parse(href({ to: "about", ref: id }))).toEqual({ to: "about", ref: id });
      expect(parse(href({ to: "post", id }))).toEqual({ to: "post", id });
    }
    expect(parse(href({ to: "notifications" }))).toEqual({ to: "notifications" });
    expect(parse(href({ to: "settings" }))).toEqual({ to: "settings" });
    expect(parse(href({ to: "about", ref: "#garden" }))).toEqual({ to: "about", ref: "#garden" });
  });

  test("has no tab but those that there are", () => {
    for (const tab of ["constructor", "toString", "__proto__", "hasOwnProperty", "%", "nonsense"]) {
      for (const address of [`#/people/${tab}`, `#/groups/${tab}`, `#/u/ada/${tab}`]) expect(parse(address), address).toEqual({ to: "nowhere" });
    }
    for (const end of ["", "/"]) {
      expect(parse(`#/people${end}`)).toEqual({ to: "people", tab: "everyone" });
      expect(parse(`#/groups${end}`)).toEqual({ to: "groups", tab: "joined" });
      expect(parse(`#/u/ada${end}`)).toEqual({ to: "profile", uid: "ada", part: "posts" });
    }
  });
});
