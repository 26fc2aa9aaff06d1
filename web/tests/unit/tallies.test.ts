// Numbers, likes and notifications as the app and the console say them.
import { Timestamp } from "firebase/firestore";
import { describe, expect, test } from "vitest";

import { shownLikes } from "relationindex-client";

import { toAccount } from "../../../client/src/accounts.ts";
import { postFrom } from "../../../client/src/posts.ts";
import { badgeText } from "../../src/app/views/words.ts";
import { partsOf } from "../../src/app/views/notification-words.ts";
import { notification, person, post } from "../../src/console/data/documents.ts";
import { tallies } from "../../src/console/words/tallies.ts";
import { nobody } from "../me.ts";

test("a number that is missing, or none, is 0", () => {
  const read = (data: Record<string, unknown>) => postFrom(nobody, "p", data, new Date(0));
  expect(toAccount(nobody, "u", { counts: { followers: 3, following: 1 } }).counts).toEqual({ followers: 3, following: 1, posts: 0 });
  for (const counts of [undefined, null, "many", { likes: "many", comments: -1 }]) expect(read({ counts })).toMatchObject({ likes: 0, comments: 0 });
  expect(read({ counts: { likes: 2, comments: 1 } })).toMatchObject({ likes: 2, comments: 1 });
});

describe("the likes that are shown", () => {
  test("equal the stored count until my own like is known", () => {
    expect(shownLikes(4, undefined)).toBe(4);
    expect(shownLikes(4, { mine: false, ahead: 0, counted: 0 })).toBe(4);
  });

  test("include my own like at once, until a new number arrives", () => {
    expect(shownLikes(4, { mine: true, ahead: 1, counted: 4 })).toBe(5);
    expect(shownLikes(5, { mine: true, ahead: 1, counted: 4 })).toBe(5);
    expect(shownLikes(5, { mine: false, ahead: -1, counted: 5 })).toBe(4);
    expect(shownLikes(4, { mine: false, ahead: -1, counted: 5 })).toBe(4);
  });

  test("include at least my own like", () => {
    expect(shownLikes(0, { mine: true, ahead: 0, counted: 0 })).toBe(1);
  });
});

test("the badge is exact below 100", () => {
  expect([0, 1, 99, 100].map(badgeText)).toEqual(["", "1", "99", "99+"]);
});

describe("a notification", () => {
  const said = (verb: Parameters<typeof partsOf>[0]["verb"], count: number, ...actors: string[]) =>
    partsOf({ verb, count, actors })
      .map((part) => Object.values(part)[0])
      .join("");

  test("names the newest two, and counts the others", () => {
    expect(said("like", 1, "Ann")).toBe("Ann liked your post");
    expect(said("like", 2, "Ann", "Ben")).toBe("Ann and Ben liked your post");
    expect(said("like", 3, "Ann", "Ben", "Cy")).toBe("Ann, Ben and 1 other liked your post");
    expect(said("like", 1012, "Ann", "Ben", "Cy")).toBe("Ann, Ben and 1,010 others liked your post");
    expect(said("like", 2, "Ann")).toBe("Ann and 1 other liked your post");
    expect(said("like", 7)).toBe("Somebody liked your post");
  });

  test("names the act, by one person or several", () => {
    expect(said("follow", 1, "Ann")).toBe("Ann follows you");
    expect(said("follow", 2, "Ann", "Ben")).toBe("Ann and Ben follow you");
    expect(said("request", 1, "Ann")).toBe("Ann asks to follow you");
    expect(said("mention", 1, "Ann")).toBe("Ann wrote a post to you");
    expect(said("mention", 3, "Ann")).toBe("Ann wrote a post to you (3 posts)");
    expect(said(undefined, 1, "Ann")).toBe("Ann did something that this page does not know yet");
  });

  test("of comments counts comments, also several by one person", () => {
    expect(said("comment", 1, "Ann")).toBe("Ann commented on your post");
    expect(said("comment", 3, "Ann")).toBe("Ann commented on your post (3 comments)");
    expect(said("comment", 3, "Ann", "Ben", "Cy")).toBe("Ann, Ben and 1 other commented on your post");
    expect(said("comment", 9, "Ann", "Ben", "Cy", "Di", "Eve")).toBe("Ann, Ben and others commented on your post (9 comments)");
  });
});

test("the console shows the numbers of a document", () => {
  expect(tallies(post("p", { counts: { likes: 2, comments: 1 } }).counts)).toBe("2 likes, 1 comment");
  expect(tallies(person("u", { counts: { followers: 1, following: 0, posts: 3, more: 4 } }).counts)).toBe("1 follower, 0 following, 3 posts");
  expect(tallies(person("u", {}).counts)).toBe("");
});

test("the console shows a notification with any fields", () => {
  expect(notification("like.p", { count: 2, actors: ["ann", "ben"], at: Timestamp.fromMillis(1000) })).toEqual({
    id: "like.p",
    count: 2,
    actors: ["ann", "ben"],
    at: new Date(1000),
  });
  expect(notification("like.p", { count: "2", actors: "ann", at: 1000 })).toEqual({ id: "like.p", count: 0, actors: [], at: null });
});
