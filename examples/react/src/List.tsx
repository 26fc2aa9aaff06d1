import type { ReactNode } from "react";
import { type Item, say } from "relationindex-client";
import type { List as State } from "relationindex-client/react";

/** A list, and what it says while it loads, is empty or fails. */
export function List<T extends Item>({ label, list, row }: { label: string; list: State<T>; row(item: T): ReactNode }) {
  const problem = list.error ?? list.moreError;
  return (
    <section>
      <ul aria-label={label}>{list.items.map((item) => <li key={item.id}>{row(item)}</li>)}</ul>
      <p role="status">{problem ? say(problem) : list.loading ? "Loading…" : list.items.length > 0 ? "" : "Nothing here yet."}</p>
      {list.more && <button onClick={list.loadMore}>More {label.toLowerCase()}</button>}
    </section>
  );
}
