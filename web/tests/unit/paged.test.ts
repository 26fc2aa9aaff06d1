import { expect, test } from "vitest";
import { Paged, type Item, type Page, type Source } from "relationindex-client";

import { nobody } from "../me.ts";

/** A source whose pages the test sends. */
function source() {
  let sendBelow = (_: Page<Item> | null) => {};
  const below = new Promise<Page<Item> | null>((resolve) => (sendBelow = resolve));
  let sendFirst = (_: Page<Item>) => {};
  const made: Source<Item> = { me: nobody, first: (changed) => ((sendFirst = changed), () => {}), after: () => below };
  return { made, sendBelow, sendFirst: (page: Page<Item>) => sendFirst(page) };
}
const items = (...orders: string[]) => orders.map((order) => ({ id: order, order }));

test("an empty page that comes after the list has begun again says nothing about it", async () => {
  const { made, sendBelow, sendFirst } = source();
  const list = new Paged(made);
  list.subscribe(() => {});
  sendFirst({ items: [], more: true });
  expect(list.state.get()).toMatchObject({ more: true, barren: true });
  const read = list.loadMore();
  sendFirst({ items: items("9", "8"), more: true });
  expect(list.state.get()).toMatchObject({ barren: false });
  sendBelow({ items: [], more: true });
  await read;
  expect(list.state.get()).toMatchObject({ items: items("9", "8"), more: true, loadingMore: false, barren: false });
});

test("a new item at the top does not hide that the last page was empty", async () => {
  const { made, sendBelow, sendFirst } = source();
  const list = new Paged(made);
  list.subscribe(() => {});
  sendFirst({ items: items("9", "8"), more: true });
  sendBelow({ items: [], more: true });
  await list.loadMore();
  expect(list.state.get()).toMatchObject({ more: true, barren: true });
  sendFirst({ items: items("99", "9", "8"), more: true });
  expect(list.state.get()).toMatchObject({ items: items("99", "9", "8"), more: true, barren: true });
});
