/** Selection of the author, post and reader to show. It is in the address, so that it can be bookmarked and survives a reload. */
import { isId, Value } from "relationindex-client";
import { useValue } from "relationindex-client/react";

const selected = new Value(inAddress());
addEventListener("hashchange", () => selected.set(inAddress()));

/** The reader is the account whose timeline is shown. */
function inAddress() {
  const values = new URLSearchParams(location.hash.slice(1));
  const id = (name: string) => [values.get(name) ?? ""].find(isId) ?? "";
  return { author: id("author"), post: id("post"), reader: id("reader") };
}

export const useSelected = () => useValue(selected);

/** The selection as it is now: an effect may have been drawn with an earlier one. */
export const selection = () => selected.get();

/** Selects an author, or one of the author's posts, and a reader. Without a reader, the reader stays the same. */
export function choose({ author, post = "", reader = selected.get().reader }: { author: string; post?: string; reader?: string }): void {
  const values = new URLSearchParams({ author, ...(post && { post }), ...(reader && { reader }) });
  if (location.hash.slice(1) === values.toString()) return;
  history.replaceState(null, "", `#${values}`);
  selected.set(inAddress());
}
