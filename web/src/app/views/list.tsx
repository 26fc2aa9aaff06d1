/** List with its states: loading, empty, failed, more items to load, and new items waiting above. */
import { ArrowLeft, ArrowUp } from "lucide-react";
import { errorMessage, type Item } from "relationindex-client";
import type { List } from "relationindex-client/react";
import { type ReactElement, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { useShown } from "../context";
import { href } from "../routes";

interface Props<T> {
  list: List<T>;
  label: string;
  row: (item: T) => ReactNode;
  /** What makes a row the same one; without it, the item's id. */
  keyOf?: (item: T) => string;
  skeleton: ReactElement;
  empty: ReactElement;
  /** The text for new items that wait above: "3 new posts". Without it, new items show at once. */
  waiting?: (count: number) => string;
}

export function ListView<T extends Item>({ list, label, row, keyOf = ({ id }) => id, skeleton, empty, waiting }: Props<T>): ReactElement {
  const { items, status, error, more, loadingMore, moreError, barren } = list;
  const box = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const shown = useShown();
  const loading = status === "loading";
  useKeptFocus(box);

  // The next page is read before the reader reaches the end of this one. The button is for readers who do not scroll.
  const goesOn = more && !moreError && !barren && !loadingMore;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a longer list is looked at again
  useEffect(() => {
    if (!goesOn || !end.current) return;
    const near = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && list.loadMore(), { rootMargin: "600px" });
    near.observe(end.current);
    return () => near.disconnect();
  }, [goesOn, items.length]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: its functions stay the same
  useEffect(() => {
    if (!moreError) return;
    window.addEventListener("online", list.loadMore);
    return () => window.removeEventListener("online", list.loadMore);
  }, [moreError]);

  // While the page is not shown, the list stays as the user left it.
  const { setAtTop } = list;
  const live = !waiting;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it calls the same list
  useEffect(() => {
    if (!shown) return setAtTop(live);
    const look = () => setAtTop(live || window.scrollY < 100);
    look();
    window.addEventListener("scroll", look, { passive: true });
    return () => window.removeEventListener("scroll", look);
  }, [shown, live]);

  const toTop = () => {
    list.showWaiting();
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    window.scrollTo({ top: 0, behavior: still ? "auto" : "smooth" });
    box.current?.closest(".view")?.querySelector("h1")?.focus({ preventScroll: true });
  };

  return (
    <div className="list-view" ref={box}>
      <div className="pill-box" role="status">
        {waiting && list.waiting > 0 && (
          <button type="button" className="pill" onClick={toTop}>
            <ArrowUp size={16} />
            {waiting(list.waiting)}
          </button>
        )}
      </div>
      {error ? <Failed error={error} again={list.retry} /> : !loading && !more && items.length === 0 && empty}
      <ul className="list" aria-label={label} aria-busy={loading} hidden={!loading && items.length === 0}>
        {items.map((item) => (
          <li key={keyOf(item)} className="item">
            {row(item)}
          </li>
        ))}
        {loading &&
          Array.from({ length: 6 }, (_, n) => (
            <li key={n} className="placeholder" aria-hidden="true">
              {skeleton}
            </li>
          ))}
      </ul>
      <div className="list-end" ref={end}>
        {moreError ? (
          <Failed error={moreError} again={list.loadMore} />
        ) : (
          more && (
            <button type="button" className="button" onClick={list.loadMore}>
              {loadingMore ? "Loading…" : "Load older"}
            </button>
          )
        )}
      </div>
    </div>
  );
}

/** Moves the focus to a neighbour, or to the heading, if what has it leaves the list: the keyboard continues from there. */
export function useKeptFocus(box: RefObject<HTMLElement | null>): void {
  const place = useRef<number | undefined>(undefined);
  const rows = () => [...(box.current?.querySelectorAll(".item") ?? [])];
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows reads the page
  useEffect(() => {
    const moved = ({ target }: FocusEvent) => {
      const inside = box.current?.contains(target as Node);
      place.current = inside ? rows().findIndex((row) => row.contains(target as Node)) : undefined;
    };
    const lost = ({ target }: FocusEvent) =>
      setTimeout(() => {
        if ((target as Node).isConnected && document.activeElement === document.body) place.current = undefined; // a press beside it
      });
    document.addEventListener("focusin", moved);
    document.addEventListener("focusout", lost);
    return () => {
      document.removeEventListener("focusin", moved);
      document.removeEventListener("focusout", lost);
    };
  }, [box]);
  useLayoutEffect(() => {
    if (place.current === undefined || document.activeElement !== document.body) return;
    const all = rows();
    const next = all[Math.min(place.current < 0 ? Infinity : place.current, all.length - 1)];
    const target = next?.querySelector<HTMLElement>("a:not([aria-hidden]), button") ?? box.current?.closest(".view")?.querySelector<HTMLElement>("h1");
    target?.focus({ preventScroll: true });
  });
}

export const Failed = ({ error, again }: { error: Error; again?: () => void }): ReactElement => (
  <div className="notice bad" role="alert">
    <p>{errorMessage(error)}</p>
    {again && (
      <button type="button" className="button small" onClick={again}>
        Try again
      </button>
    )}
  </div>
);

/** The message of an empty list: what it would show, and what to do next. */
export const Empty = ({ title, children, action }: { title: ReactNode; children: ReactNode; action?: ReactNode }): ReactElement => (
  <div className="notice">
    <h2>{title}</h2>
    <p>{children}</p>
    {action}
  </div>
);

/** The words of a place whose content is being read, which screen readers announce too. */
export const Loading = (): ReactElement => (
  <p className="small muted loading" role="status">
    Loading…
  </p>
);

/** The head of a page. `back` gives it the way back, for pages that the navigation does not name. */
export const Title = ({ children, beside, back = false }: { children: ReactNode; beside?: ReactNode; back?: boolean }): ReactElement => (
  <header className="title row">
    {back && <Back />}
    <h1 className="grow" tabIndex={-1}>
      {children}
    </h1>
    {beside}
  </header>
);

let moved = false; // within the app
window.addEventListener("hashchange", () => (moved = true));

const goBack = () => {
  if (moved) history.back();
  else location.hash = href({ to: "feed" });
};

export const Back = (): ReactElement => (
  <button type="button" className="icon-button back" aria-label="Back" title="Back" onClick={goBack}>
    <ArrowLeft size={20} />
  </button>
);
