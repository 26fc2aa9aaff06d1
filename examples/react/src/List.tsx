import type { ReactNode } from "react";
import { errorMessage, type Item } from "relationindex-client";
import type { List as State } from "relationindex-client/react";

/** A list, and what it says while it loads, is empty or fails. */
export function List<T extends Item>({ label, list, row }: { label: string; list: State<T>; row(item: T): ReactNode }) {
  const problem = list.error ?? list.moreError;
  return (
    <section>
      <ul aria-label={label}>
        {list.items.map((item) => (
          <li key={item.id}>{row(item)}</li>
        ))}
      </ul>
      <p role="status">{problem ? errorMessage(problem) : list.status === "loading" ? "Loading…" : list.items.length > 0 ? "" : "Nothing here yet."}</p>
      {list.more && <button onClick={list.loadMore}>More {label.toLowerCase()}</button>}
    </section>
  );
}
