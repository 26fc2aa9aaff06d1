// biome-ignore-all lint/correctness/useExhaustiveDependencies: these hooks take their caller's list, or compare posts and options by their fields
"use client";
/**
 * React hooks. They read nothing before they are shown, and stop when they are removed; effects may run twice, as in StrictMode. A
 * hook costs what the function that it names costs. All belong to the signed-in account: when another signs in, they begin again.
 */
import { onAuthStateChanged, type User } from "firebase/auth";
import {
  createContext,
  createElement,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
  type DependencyList,
  type ReactElement,
  type ReactNode,
} from "react";
import { Accounts } from "./account-cache.ts";
import { watchAccount, type Account } from "./accounts.ts";
import { Badge } from "./badge.ts";
import { comments, type Comment } from "./comments.ts";
import type { Client } from "./connect.ts";
import type { Entry } from "./entry.ts";
import { ClientError, codeOf } from "./errors.ts";
import { feed, type FeedOptions } from "./feed.ts";
import { accountsByName, followers, following, followRequests, postsToAudience, type AccountItem, type NamedItem, type PostItem } from "./lists.ts";
import type { Me } from "./me.ts";
import { notifications, type Notification } from "./notifications.ts";
import { OwnCounts, type MyCounts } from "./own-counts.ts";
import { OwnFollows, type OwnFollow } from "./own-follows.ts";
import { OwnLikes, shownLikes } from "./own-likes.ts";
import { Paged, type ListOptions, type ListState, type Source } from "./paged.ts";
import { watchPost, type Post } from "./posts.ts";
import { Reader } from "./reader.ts";
import type { Item } from "./timeline.ts";
import { Value } from "./value.ts";

interface Signed {
  client: Client;
  user: User | null | undefined;
}

const context = createContext<Signed | undefined>(undefined);

/** Gives all components below the client, and the account that is signed in, also in another tab. */
export function RelationIndex({ client, children }: { client: Client; children?: ReactNode }): ReactElement {
  const [user, setUser] = useState<User | null | undefined>(client.auth.currentUser ?? undefined);
  useEffect(() => onAuthStateChanged(client.auth, setUser), [client]);
  const value = useMemo(() => ({ client, user }), [client, user]);
  return createElement(context.Provider, { value }, children);
}

function useSigned(): Signed {
  const signed = useContext(context);
  if (!signed) throw new ClientError("failed-precondition", "no <RelationIndex client={…}> above this component");
  return signed;
}

/** The signed-in user; null: nobody is; undefined: not known yet. */
export const useUser = (): User | null | undefined => useSigned().user;

/**
 * The signed-in account, for the functions of relationindex-client. P and A are the app's own fields. Throws unauthenticated if nobody
 * is signed in: show components that use an account only while useUser returns one.
 */
export function useMe<P = unknown, A = unknown>(): Me<P, A> {
  const { client, user } = useSigned();
  if (!user) throw new ClientError("unauthenticated", "nobody is signed in: show this only while useUser() returns a user");
  return client.as(user) as Me<P, A>;
}

/** Returns the current value of a Value. */
export function useValue<T>(value: Value<T>): T {
  const subscribe = useCallback((changed: () => void) => value.subscribe(changed), [value]);
  const get = useCallback(() => value.get(), [value]);
  return useSyncExternalStore(subscribe, get, get);
}

/** A class of this package that needs an account only. */
type Kind = new (me: never) => unknown;

/** What all components share of an account: it costs nothing until it is asked. */
const shared = new WeakMap<Me, Map<Kind, unknown>>();

function useShared<T>(kind: Kind): T {
  const me = useMe(),
    all = shared.get(me) ?? new Map<Kind, unknown>();
  shared.set(me, all);
  if (!all.has(kind)) all.set(kind, new kind(me as never));
  return all.get(kind) as T;
}

/** What listens while a component shows it; undefined: not yet. */
function useOpened<T extends { close(): void }>(kind: new (me: Me) => T): T | undefined {
  const me = useMe();
  const [opened, setOpened] = useState<{ me: Me; it: T }>();
  useEffect(() => {
    const it = new kind(me);
    setOpened({ me, it });
    return () => it.close();
  }, [me, kind]);
  return opened?.me === me ? opened.it : undefined;
}

export interface List<T> extends ListState<T> {
  /** Reads the next page. */
  loadMore(): void;
  /** Inserts the items that wait above. */
  showWaiting(): void;
  setAtTop(atTop: boolean): void;
  /** Reads the first page again at once, after an error. */
  retry(): void;
  /** See Source.refresh. */
  refresh(): void;
  /** Calls ListOptions.keep again for each item. */
  again(): void;
}

/** A list from the source that `make` returns, as in `useList(() => ownPosts(me), [me])`. Options are those of the first call. */
export function useList<T extends Item>(make: () => Source<T>, dependencies: DependencyList, options: ListOptions<T> = {}): List<T> {
  const list = useMemo(() => new Paged(make(), options), dependencies);
  const state = useValue(list.state);
  return useMemo(
    () => ({
      ...state,
      loadMore: () => void list.loadMore(),
      showWaiting: () => list.showWaiting(),
      setAtTop: (atTop) => list.setAtTop(atTop),
      retry: () => list.retry(),
      refresh: () => list.refresh(),
      again: () => list.again(),
    }),
    [list, state],
  );
}

/** The account's feed: see feed. Options are compared by ref, from, every and posts. */
export function useFeed<P = unknown>(options: FeedOptions = {}): List<Entry<P>> {
  const me = useMe<P>(),
    { ref, from, every, posts } = options;
  return useList(() => feed(me, options), [me, ref, from, every, posts]);
}

/** Posts to a person or a group: see postsToAudience. */
export function usePosts<P = unknown>(audience: string): List<PostItem<P>> {
  const me = useMe<P>();
  return useList(() => postsToAudience(me, audience), [me, audience]);
}

/** The comments of a post, newest first: see comments. */
export function useComments(post: Post<unknown>): List<Comment> {
  const me = useMe(),
    { id, userId, audience } = post;
  return useList(() => comments(me, post), [me, id, userId, audience]);
}

export function useNotifications(): List<Notification> {
  const me = useMe();
  return useList(() => notifications(me), [me]);
}

/** Accounts by name: see accountsByName. */
export function useAccountsByName<A = unknown>(prefix = ""): List<NamedItem<A>> {
  const me = useMe<unknown, A>();
  return useList(() => accountsByName(me, prefix), [me, prefix]);
}

const edges = { following, followers, followRequests };

/** The accounts that the account follows, its followers, or those who ask to follow it; of a group that it owns, the last two. */
export function useFollows(which: keyof typeof edges, group?: string): List<AccountItem> {
  const me = useMe();
  return useList(() => edges[which](me, group), [me, which, group]);
}

/** What a watch has said last. */
export interface Watched<T> {
  /** null: there is none, or the account may not see it. undefined: not known yet. */
  now: T | null | undefined;
  error: Error | undefined;
}

function useWatched<T>(
  watch: (changed: (now: T | null | undefined) => void, failed: (error: Error) => void) => () => void,
  dependencies: DependencyList,
): Watched<T> {
  const value = useMemo(() => {
    const said: Value<Watched<T>> = new Value<Watched<T>>({ now: undefined, error: undefined }, () =>
      watch(
        (now) => said.set({ now, error: undefined }),
        (error) => said.set({ now: said.get().now, error }),
      ),
    );
    return said;
  }, dependencies);
  return useValue(value);
}

/** A post, kept up to date: see watchPost. */
export function usePost<P = unknown>(id: string): Watched<Post<P>> {
  const me = useMe<P>();
  return useWatched((changed, failed) => watchPost(me, id, (post, fromCache) => changed(post ?? (fromCache ? undefined : null)), failed), [me, id]);
}

/** An account, kept up to date: see watchAccount. */
export function useAccount<A = unknown>(id: string): Watched<Account<A>> {
  const me = useMe<unknown, A>();
  return useWatched((changed, failed) => watchAccount(me, id, (account, fromCache) => changed(account ?? (fromCache ? undefined : null)), failed), [me, id]);
}

/** What a promise has resolved to; undefined: nothing yet; null: it has failed, and is asked again when the network returns. */
function useAsked<T>(ask: () => Promise<T>, dependencies: DependencyList): T | null | undefined {
  const me = useMe();
  const { now, error } = useWatched<T>(
    (changed, failed) => {
      let over = false;
      const go = () => {
        if (over) return;
        ask().then(
          (now) => {
            if (!over) changed(now);
            over = true;
          },
          (error: Error) => over || failed(error),
        );
      };
      const stopReturn = me.onReturn(go);
      go();
      return () => {
        over = true;
        stopReturn();
      };
    },
    [me, ...dependencies],
  );
  return now ?? (error ? null : undefined);
}

/**
 * An account as it was when it was first read, in one query for all of the moment: see Accounts. undefined: not known yet; null: it
 * could not be read.
 */
export function useProfile<A = unknown>(id: string): Account<A> | null | undefined {
  const accounts = useShared<Accounts<A>>(Accounts);
  return useAsked(() => accounts.get(id), [accounts, id]);
}

/** A name to show; "": not known yet, or the account has none. */
export function useName(id: string): string {
  const accounts = useShared<Accounts>(Accounts);
  return useAsked(() => accounts.name(id), [accounts, id]) ?? "";
}

/** The name of a post's or a comment's author to show: without a read if the deployment copies names. */
export function useAuthor({ userId, authorName }: { userId: string; authorName?: string }): string {
  const accounts = useShared<Accounts>(Accounts);
  return useAsked(() => accounts.authorOf({ userId, ...(authorName !== undefined && { authorName }) }), [accounts, userId, authorName]) ?? "";
}

export interface FollowState {
  /** undefined: not known yet. */
  is: OwnFollow["is"] | undefined;
  /** The server has not confirmed the last change. */
  sending: boolean;
  /** Whether the account is closed: to follow it means to ask. undefined: not known yet. */
  closed: boolean | undefined;
  /**
   * Follows, unfollows, asks, or takes the request back. The change shows at once. Rejects as follow does, with the reason closed or
   * open if the account was closed or opened since it was read.
   */
  toggle(): Promise<void>;
}

const unknown = new Value<OwnFollow | undefined>(undefined);

/**
 * The account's follow of another, or its request, for a button: see OwnFollows. known: the other account, if it was read already,
 * the same object as long as it says the same; otherwise it is read, as by useProfile.
 */
export function useFollow(id: string, known?: Account<unknown>): FollowState {
  const follows = useShared<OwnFollows>(OwnFollows);
  const accounts = useShared<Accounts<unknown>>(Accounts);
  const asked = useAsked(async () => known ?? accounts.get(id), [accounts, id, known === undefined]);
  const [refreshed, setRefreshed] = useState<{ known: Account<unknown> | undefined; account: Account<unknown> }>();
  const account = refreshed?.account.id === id && refreshed.known === known ? refreshed.account : (known ?? asked ?? undefined);
  const own = useValue(account ? follows.of(account) : unknown);
  const toggle = useCallback(async () => {
    if (!account) return;
    try {
      await follows.toggle(account);
    } catch (error) {
      const now = codeOf(error) === "permission-denied" ? await accounts.again(id).catch(() => undefined) : undefined;
      if (!now || now.closed === account.closed) throw error;
      setRefreshed({ known, account: now }); // the button says another thing
      throw new ClientError("permission-denied", `${id} was ${now.closed ? "closed" : "opened"}`, now.closed ? "closed" : "open", error);
    }
  }, [follows, accounts, account, known, id]);
  return { is: own?.is, sending: own?.sending ?? false, closed: account?.closed, toggle };
}

/** The account's like of a post, and the number of likes: see OwnLikes. */
export function useLike({ id, likes }: { id: string; likes: number }): { mine: boolean; count: number; toggle(): Promise<void> } {
  const own = useShared<OwnLikes>(OwnLikes),
    now = useValue(own.of(id));
  const toggle = useCallback(() => own.toggle(id, likes), [own, id, likes]);
  return { mine: now?.mine ?? false, count: shownLikes(likes, now), toggle };
}

const none = new Value(0);
const never = new Value<ReturnType<Badge["notifiedAt"]["get"]>>(undefined);

/** The number to show on a badge, the time up to which all was seen, and a function that marks notifications seen: see Badge. */
export function useBadge(): Pick<Badge, "markSeen"> & { unseen: number; shown: number; notifiedAt: ReturnType<Badge["notifiedAt"]["get"]> } {
  const badge = useOpened(Badge);
  const unseen = useValue(badge?.unseen ?? none),
    shown = useValue(badge?.shown ?? none);
  const markSeen = useCallback(async (at: Parameters<Badge["markSeen"]>[0]) => badge?.markSeen(at), [badge]);
  const notifiedAt = useValue(badge?.notifiedAt ?? never);
  return useMemo(() => ({ unseen, shown, notifiedAt, markSeen }), [unseen, shown, notifiedAt, markSeen]);
}

const noCounts = new Value<MyCounts | null>(null);

/** The account's own numbers; null: not known yet: see OwnCounts. */
export function useCounts(): MyCounts | null {
  return useValue(useOpened(OwnCounts)?.state ?? noCounts);
}

/** The account's filters and hidden posts, if the functions read them; undefined: not yet. Show its Values by useValue. */
export function useReader(): Reader | undefined {
  return useOpened(Reader);
}
