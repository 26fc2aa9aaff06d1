import { describe, expect, test } from "vitest";

import { fieldsOf, groupReposts, noPost } from "relationindex-client";

const post = (id: string) => ({ id, post: { ...noPost(id), userId: "ann", text: "x" } });
const repost = (by: string, repostOf: string) => ({ id: `${by}.${repostOf}`, post: { ...noPost(`${by}.${repostOf}`), userId: by, repostOf } });
const shown = (items: { id: string; reposters?: string[] }[]) => items.map(({ id, reposters }) => (reposters ? `${id}: ${reposters.join()}` : id));

describe("reposts", () => {
  test("of a post are one, at the place of the newest", () => {
    expect(shown(groupReposts([repost("cy", "1"), post("2"), repost("bob", "1"), repost("ada", "1"), repost("bob", "2")]))).toEqual(["cy.1: cy,bob,ada", "2"]);
  });

  test("and their combined entry list all the ids of the group", () => {
    const groups = groupReposts([repost("cy", "1"), post("2"), repost("bob", "1"), post("1"), repost("bob", "2")]);
    expect(groups.map((group) => (group as { ids?: string[] }).ids)).toEqual([["cy.1", "bob.1", "1"], ["2", "bob.2"]]);
  });

  test("stand for the post itself below, and name each account once", () => {
    expect(shown(groupReposts([repost("bob", "1"), post("1"), repost("bob", "1"), post("3")]))).toEqual(["bob.1: bob", "3"]);
  });

  test("leave the items that they are made of as they were", () => {
    const items = [repost("bob", "1"), repost("ada", "1")];
    groupReposts(items);
    expect(shown(groupReposts(items))).toEqual(["bob.1: bob,ada"]);
    expect(items[0]).not.toHaveProperty("reposters");
  });
});

describe("the field of reposts", () => {
  test("names a post that can be one, in a post without a text", () => {
    expect(fieldsOf({ userId: "bob", repostOf: "1" }).repostOf).toBe("1");
    for (const repostOf of [7, "", "a/b", "..", ["1"], null]) expect(fieldsOf({ userId: "bob", repostOf }).repostOf, String(repostOf)).toBe("");
    expect(fieldsOf({ userId: "bob", text: "So true:", repostOf: "1" }).repostOf).toBe("");
  });
});
