import { describe, expect, test } from "vitest";

import { isId } from "relationindex-client";
import { href, parse } from "../../src/app/routes.ts";
import { badIds } from "../ids.ts";

describe("an address", () => {
  test("of an id that no document can have is nobody's", () => {
    for (const [what, id] of Object.entries(badIds)) {
      expect(parse(`#/u/${id}`), what).toEqual({ to: "profile", uid: "", part: "posts" });
      expect(parse(`#/u/${id}/members`), what).toEqual({ to: "profile", uid: "", part: "members" });
      expect(parse(`#/about/${id}`), what).toEqual({ to: "about", ref: "" });
      expect(parse(`#/p/${id}`), what).toEqual({ to: "post", id: "" });
    }
  });

  test("of any other id is its account's", () => {
    for (const id of ["ada", "g_1", "...", "a.b", "__x", "x__", "_x_", "é\u202e", "a b", "%2F", "100%", "x".repeat(1_500)]) {
      expect(isId(id), id.slice(0, 20)).toBe(true);
      expect(parse(href({ to: "profile", uid: id, part: "members" }))).toEqual({ to: "profile", uid: id, part: "members" });
      expect(parse(href({ to: "about", ref: id }))).toEqual({ to: "about", ref: id });
      expect(parse(href({ to: "post", id }))).toEqual({ to: "post", id });
    }
    expect(parse(href({ to: "notifications" }))).toEqual({ to: "notifications" });
    expect(parse(href({ to: "about", ref: "#garden" }))).toEqual({ to: "about", ref: "#garden" });
  });

  test("has no tab but those that there are", () => {
    for (const tab of ["constructor", "toString", "__proto__", "hasOwnProperty", "", "%"]) {
      expect(parse(`#/people/${tab}`)).toEqual({ to: "people", tab: "everyone" });
      expect(parse(`#/groups/${tab}`)).toEqual({ to: "groups", tab: "joined" });
      expect(parse(`#/u/ada/${tab}`)).toEqual({ to: "profile", uid: "ada", part: "posts" });
    }
  });
});
