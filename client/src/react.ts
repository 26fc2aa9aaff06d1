/**
 * React hooks. When a component is removed, its hooks stop their listeners. Effects may run twice, as in StrictMode. A hook costs
 * what the function that it names costs.
 */
import type { Firestore } from "firebase/firestore";
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore, type DependencyList } from "react";
import { watchAccount, type Account, type Numbers } from "./accounts.ts";
import { Badge } from "./badge.ts";
import { follow, unfollow, watchFollow, type Follow } from "./follows.ts";
import { shownLikes, type OwnLikes } from "./own-likes.ts";
import { Paged, type ListState, type Source } from "./paged.ts";
import type { Names } from "./people.ts";
import type { Item } from "./timeline.ts";
import { Value } from "./value.ts";

/** Returns the current value of a Value. */
export function useValue<T>(value: Value<T>): T {
  const subscribe = useCallback((changed: () => void) => value.watch(changed), [value]);
  const get = useCallback(() => value.get(), [value]);
  return useSyncExternalStore(subscribe, get, get);
}

/** Returns what `make` opened, and closes it when the dependencies change; undefined: not opened yet. */
function useOpened<T extends { close(): void }>(make: () => T, dependencies: DependencyList): T | undefined {
  const [opened, setOpened] = useState<T>();
  useEffect(() => {
    const made = make();
    setOpened(made);
    return () => {
      made.close();
      setOpened(undefined);
    };
  }, dependencies);
  return opened;
}

export interface List<T> extends ListState<T> {
  /** Reads the next page. */
  loadMore(): void;
  /** Inserts the items that wait above. */
  showWaiting(): void;
  setAtTop(atTop: boolean): void;
  /** Reads the first page again, after an error. */
  retry(): void;
  /** See Source.refresh. */
  refresh(): void;
}

const nothing = { items: [], waiting: 0, loading: true, loadingMore: false, more: undefined, barren: false, error: null, moreError: null };

/**
 * A list from the source or Paged that `make` returns, as in `useList(() => feed(client, me), [client, me])`. The hook closes it.
 */
export function useList<T extends Item>(make: () => Source<T> | Paged<T>, dependencies: DependencyList): List<T> {
  const list = useOpened(() => {
    const made = make();
    return made instanceof Paged ? made : new Paged(made);
  }, dependencies);
  const [before] = useState(() => new Value<ListState<T>>(nothing));
  const state = useValue(list?.state ?? before);
  return useMemo(() => ({
    ...state,
    loadMore: () => void list?.loadMore(),
    showWaiting: () => list?.showWaiting(),
    setAtTop: (atTop) => list?.setAtTop(atTop),
    retry: () => list?.retry(),
    refresh: () => list?.refresh(),
  }), [list, state]);
}

/** Returns the last value of a watch; undefined: none yet, or the watch failed with error. */
function useWatched<T>(watch: (changed: (now: T) => void, failed: (error: Error) => void) => () => void, dependencies: DependencyList): { now?: T; error?: Error } {
  const [said, setSaid] = useState<{ now?: T; error?: Error }>({});
  useEffect(() => {
    const stop = watch((now) => setSaid({ now }), (error) => setSaid({ error }));
    return () => {
      stop();
      setSaid({});
    };
  }, dependencies);
  return said;
}

export interface FollowState extends Follow {
  /** False until the first answer; following is false until then. */
  known: boolean;
  error: Error | undefined;
  /** Follows or unfollows. The change shows at once. Rejects as follow and unfollow do. */
  toggle(): Promise<void>;
}

/** The account's follow of another, for a button: see watchFollow. */
export function useFollow(db: Firestore, me: string, author: string): FollowState {
  const { now, error } = useWatched<Follow>((changed, failed) => watchFollow(db, me, author, changed, failed), [db, me, author]);
  const following = now?.following ?? false;
  const toggle = useCallback(() => (following ? unfollow : follow)(db, me, author), [db, me, author, following]);
  return { following, sending: now?.sending ?? false, known: now !== undefined, error, toggle };
}

/** The account's like of a post, and the number of likes. A page has one OwnLikes: see there. */
export function useLike(likes: OwnLikes, post: { id: string; likes: number }): { mine: boolean; count: number; toggle(): Promise<void> } {
  const own = useValue(likes.of(post.id));
  const toggle = useCallback(() => likes.toggle(post.id, post.likes), [likes, post.id, post.likes]);
  return { mine: own?.mine ?? false, count: shownLikes(post.likes, own), toggle };
}

const none = new Value(0);

/** The number of unseen notifications, at most 100, and a function that marks them seen: see Badge. */
export function useBadge(db: Firestore, me: string): { unseen: number; markSeen: Badge["markSeen"] } {
  const badge = useOpened(() => new Badge(db, me), [db, me]);
  const unseen = useValue(badge?.unseen ?? none);
  const markSeen = useCallback(async (at: Parameters<Badge["markSeen"]>[0]) => badge?.markSeen(at), [badge]);
  return { unseen, markSeen };
}

/** A name to show; "": not known yet, or the account has none. */
export function useName(names: Names, id: string): string {
  const { now } = useWatched<string>((changed, failed) => {
    let gone = false;
    names.get(id).then((name) => gone || changed(name), (error: Error) => gone || failed(error));
    return () => void (gone = true);
  }, [names, id]);
  return now ?? "";
}

export interface AccountState {
  /** null: there is none. undefined: not known yet. */
  account: Account | null | undefined;
  numbers: Numbers | undefined;
  error: Error | undefined;
}

/** An account, kept up to date: see watchAccount. */
export function useAccount(db: Firestore, id: string): AccountState {
  const { now, error } = useWatched<Omit<AccountState, "error">>((changed, failed) => watchAccount(db, id, (account, numbers, fromCache) =>
    changed(account || !fromCache ? { account, numbers } : { account: undefined, numbers: undefined }), failed), [db, id]);
  return { account: now?.account, numbers: now?.numbers, error };
}
