/**
 * The client in React: state that follows what is watched. Each hook ends what it began when the component goes; effects may run
 * twice, as in StrictMode. What a hook costs is what it watches: see there.
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

/** What a Value is now. */
export function useValue<T>(value: Value<T>): T {
  const subscribe = useCallback((changed: () => void) => value.watch(changed), [value]);
  const get = useCallback(() => value.get(), [value]);
  return useSyncExternalStore(subscribe, get, get);
}

/** What `make` has opened, for as long as these dependencies stay; undefined before. */
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
  /** Puts in what waits above, while the reader is further down. */
  showWaiting(): void;
  setAtTop(atTop: boolean): void;
  /** After an error. */
  retry(): void;
  /** See Source.refresh. */
  refresh(): void;
}

const nothing = { items: [], waiting: 0, loading: true, loadingMore: false, more: undefined, error: null, moreError: null };

/** A list, of a source or a Paged that `make` makes, as in `useList(() => feed(client, me), [client, me])`: the hook closes it. */
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

/** What a watch has said last; undefined before, and error if it failed. */
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
  /** Whether the answer is there: until then, following is false. */
  known: boolean;
  error: Error | undefined;
  /** Follows, or unfollows. It shows at once. Fails as follow and unfollow do. */
  toggle(): Promise<void>;
}

/** Whether I follow somebody, for a button: see watchFollow. */
export function useFollow(db: Firestore, me: string, author: string): FollowState {
  const { now, error } = useWatched<Follow>((changed, failed) => watchFollow(db, me, author, changed, failed), [db, me, author]);
  const following = now?.following ?? false;
  const toggle = useCallback(() => (following ? unfollow : follow)(db, me, author), [db, me, author, following]);
  return { following, sending: now?.sending ?? false, known: now !== undefined, error, toggle };
}

/** Whether I like a post, and how many do: see OwnLikes, of which a page has one. */
export function useLike(likes: OwnLikes, post: { id: string; likes: number }): { mine: boolean; count: number; toggle(): Promise<void> } {
  const own = useValue(likes.of(post.id));
  const toggle = useCallback(() => likes.toggle(post.id, post.likes), [likes, post.id, post.likes]);
  return { mine: own?.mine ?? false, count: shownLikes(post.likes, own), toggle };
}

const none = new Value(0);

/** How many notifications I have not seen, at most 100, and what marks them as seen: see Badge. */
export function useBadge(db: Firestore, me: string): { unseen: number; markSeen: Badge["markSeen"] } {
  const badge = useOpened(() => new Badge(db, me), [db, me]);
  const unseen = useValue(badge?.unseen ?? none);
  const markSeen = useCallback(async (at: Parameters<Badge["markSeen"]>[0]) => badge?.markSeen(at), [badge]);
  return { unseen, markSeen };
}

/** A name to show; "" before it is known, and of an account that has none. */
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

/** An account, as it changes: see watchAccount. */
export function useAccount(db: Firestore, id: string): AccountState {
  const { now, error } = useWatched<Omit<AccountState, "error">>((changed, failed) => watchAccount(db, id, (account, numbers, fromCache) =>
    changed(account || !fromCache ? { account, numbers } : { account: undefined, numbers: undefined }), failed), [db, id]);
  return { account: now?.account, numbers: now?.numbers, error };
}
