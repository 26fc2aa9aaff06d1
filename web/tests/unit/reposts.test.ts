import { describe, expect, test } from "vitest";

import { groupReposts } from "relationindex-client";

import { noPost, postFrom } from "../../../client/src/posts.ts";
import { nobody } from "../me.ts";

const post = (id: string) => ({ id, post: { ...noPost(nobody, id), userId: "ann", text: "x" } });
const repost = (by: string, repostOf: string) => ({ id: `${by}.${repostOf}`, post: { ...noPost(nobody, `${by}.${repostOf}`), userId: by, repostOf } });
const shown = (items: { id: string; reposters?: string[] }[]) => items.map(({ id, reposters }) => (reposters ? `${id}: ${reposters.join()}` : id));

describe("reposts", () => {
  test("of a post are one, at the place of the newest", () => {
    expect(shown(groupReposts([repost("cy", "1"), post("2"), repost("bob", "1"), repost("ada", "1"), repost("bob", "2")]))).toEqual(["cy.1: cy,bob,ada", "2"]);
  });

  test("and their combined entry list all the ids of the group", () => {
    const groups = groupReposts([repost("cy", "1"), post("2"), repost("bob", "1"), post("1"), repost("bob", "2")]);
    expect(groups.map((group) => (group as { ids?: string[] }).ids)).toEqual([
      ["cy.1", "bob.1", "1"],
      ["2", "bob.2"],
    ]);
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
  const read = (data: Record<string, unknown>) => postFrom(nobody, "p", data, new Date(0)).repostOf;

  test("names a post that can be one, in a post without a text", () => {
    expect(read({ userId: "bob", repostOf: "1" })).toBe("1");
    for (const repostOf of [7, "", "a/b", "..", ["1"], null]) expect(read({ userId: "bob", repostOf }), String(repostOf)).toBe("");
    expect(read({ userId: "bob", text: "So true:", repostOf: "1" })).toBe("");
  });
});
