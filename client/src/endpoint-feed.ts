/**
 * The feed through the function Feed, which reads relations, but returns no ids of followers. Feed also returns posts about a
 * subject, and a feed without relations, by pull. Feed has no listeners, so this source polls.
 */
import { pageSize, type Entry } from "./entry.ts";
import { ClientError, codeOf, FeedError } from "./errors.ts";
import { backoff } from "./listen.ts";
import type { Me } from "./me.ts";
import { isHidden } from "./page.ts";
import type { Page, Source } from "./paged.ts";
import { postFrom } from "./posts.ts";

/** A page in Feed's response. */
interface Answer {
  posts: { id: string; userId: string; createdAt: string; data: Record<string, unknown> }[];
  cursor?: string;
}

/** The number of polls in a row that read only whether there is news. */
const mostQuestions = 9;

/**
 * The most empty pages that one call skips; the next call continues below them. Feed returns an empty page with a cursor if it has
 * found no post for the account so far: see docs/feed.md.
 */
const mostEmpty = 5;

/** The waits after an act of this page, in ms: the functions usually need the first; the second only if nothing had changed then. */
const soon = [1_500, 5_000];

/** The timeout of a request, in ms. Feed needs at most 25 seconds. */
const patience = 60_000;

export interface EndpointOptions {
  /** A subject: posts about it, instead of the feed. */
  ref?: string;
  /** The source that Feed reads; without it, the first one of the project. */
  source?: "relations" | "pull" | "timeline";
  /** The time between two polls, in ms; without it, 30 seconds. */
  every?: number;
  /** Reports whether the list is shown. While it is not, only the first page is read. Without it, the list counts as shown. */
  isShown?: () => boolean;
  /** Returns a token of App Check, if Feed requires one. */
  appCheck?: () => Promise<string>;
}

/**
 * The feed by the function Feed. A page of 20 costs 40 reads, a call of the function and about 8 KB, for any number of followers.
 * By pull it costs more: see docs/feed.md.
 *
 * While the page is visible, the source polls for newer posts every 30 seconds: one read and one call. If there are any, it reads
 * the first page again. Every tenth poll reads the first page in any case, because edits, deletions, late posts and older posts of
 * a new follow do not count as news; an act of this page reads it within seconds, refresh at once. The source also polls when the page
 * becomes visible, or the network returns. It does not poll while the page is hidden, or the account is not signed in.
 *
 * Offline, calls fail: the SDK's cache is not used. Errors are ClientErrors; polling continues after them, at growing intervals.
 *
 * Throws failed-precondition if the configuration has no feedURL.
 */
export function endpointFeed<P>(me: Me<P>, { every = 30_000, isShown = () => true, appCheck, ref, source }: EndpointOptions = {}): Source<Entry<P>> {
  const url = me.client.config.feedURL;
  if (!url) throw new ClientError("failed-precondition", "the configuration has no feedURL: Feed is not deployed, or not named");
  const cursors = new Map<string, string>(); // by the id of the last item; "": of an empty first page
  let refresh = () => {};

  /** Returns an answer as the page below an item. If it is empty, the next page continues at its cursor. */
  const page = ({ posts, cursor }: Answer, place: string): Page<Entry<P>> => {
    const items = posts.map((post) => toEntry(me, post));
    if (cursor) cursors.set(items.at(-1)?.id ?? place, cursor);
    return { items, more: cursor !== undefined };
  };

  /** Returns the page, or if it is empty, the next page that is not. */
  const passEmpty = async (found: Answer, signal: AbortSignal): Promise<Answer> => {
    for (let n = 0; found.posts.length === 0 && found.cursor && n < mostEmpty; n++) found = await pageOf((await ask({ cursor: found.cursor }, signal))!);
    return found;
  };

  /** Sends a request; null: the response was 304, nothing is new. */
  const ask = async (parameters: Record<string, string>, signal: AbortSignal, headers: Record<string, string> = {}): Promise<Response | null> => {
    const search = new URLSearchParams({ limit: String(pageSize), ...(ref !== undefined && { ref }), ...(source !== undefined && { source }), ...parameters });
    headers["Authorization"] = `Bearer ${await token(() => me.token())}`;
    if (appCheck) headers["X-Firebase-AppCheck"] = await token(appCheck);
    const late = new AbortController(),
      timer = setTimeout(() => late.abort(), patience); // AbortSignal.timeout is not in React Native
    const stop = () => late.abort();
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop(); // while the token came
    const answer = await fetch(`${url}?${search}`, { headers, cache: "no-store", signal: late.signal })
      .then(async (found) => new Response(found.status === 304 ? null : await found.text(), found))
      .catch(() => {
        // with its body, in time
        if (signal.aborted) throw new ClientError("cancelled", "the list was closed");
        throw new FeedError(
          "unavailable",
          "no answer: the network is gone, Feed took more than a minute, or RELATIONINDEX_CORS_ORIGINS lacks this page's origin",
        );
      })
      .finally(() => {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
      });
    if (answer.status === 304) return null;
    if (!answer.ok) throw await FeedError.of(answer);
    return answer;
  };

  return {
    me,
    lags: true,
    pathOf: ({ id }) => `posts/${id}`,
    first(changed, failed) {
      let etag = "";
      let newest = ""; // createdAt of the newest post, as Feed wrote it
      let last: Page<Entry<P>> | undefined;
      let bad = 0; // the polls that failed in a row
      const ended = new AbortController(),
        { signal } = ended;
      let looking = false;
      let wanted = false; // read the first page after this poll
      let owed = false; // a poll that had to read the first page failed
      let notBefore = 0; // earliest time of the next request, in ms since 1970
      let questions = 0; // polls for news since the first page was read
      let timer: ReturnType<typeof setTimeout> | undefined;
      let actTimer: ReturnType<typeof setTimeout> | undefined;

      /** Reads the first page, and reports whether it has changed. */
      const read = async (): Promise<boolean> => {
        const answer = await ask({}, signal, etag ? { "If-None-Match": etag } : {});
        questions = 0;
        if (!answer) return false;
        const found = await passEmpty(await pageOf(answer), signal);
        etag = answer.headers.get("etag") ?? "";
        newest = found.posts.map(({ createdAt }) => createdAt).sort((a, b) => (withNanoseconds(a) < withNanoseconds(b) ? 1 : -1))[0] ?? "";
        last = page(found, "");
        return true;
      };
      const hasNews = async () => {
        questions++;
        if (newest === "") return false; // so far, only posts that the account may not read: to read them again is dear
        const answer = await ask({ news: newest, limit: "1" }, signal);
        // An older Feed responds with a page: then each poll reads the first page.
        return answer !== null && (await json(answer)).news !== false;
      };
      const look = async (whole: boolean) => {
        clearTimeout(timer);
        wanted ||= whole;
        if (signal.aborted || looking || isHidden() || (last && !me.isCurrent)) return;
        const early = notBefore - Date.now();
        if (early > 0 || (last && !isShown())) {
          timer = setTimeout(look, Math.max(early, last ? every : 0), false);
          return;
        }
        looking = true;
        let wait = every;
        try {
          owed ||= wanted || (newest === "" && !last?.more) || questions === mostQuestions;
          wanted = false;
          const fresh = (owed || (await hasNews())) && (await read());
          owed = false;
          if (!signal.aborted && last && (fresh || bad > 0)) changed(last);
          bad = 0;
        } catch (error) {
          bad++;
          if (error instanceof FeedError) notBefore = Date.now() + error.retryAfter * 1000;
          wait = Math.max(every, backoff(bad), notBefore - Date.now());
          if (!signal.aborted) failed(error as Error);
        }
        looking = false;
        if (wanted) void look(true);
        else if (!signal.aborted) timer = setTimeout(look, wait, false);
      };
      /** After an act, the first page is read a moment later, and once more if it had not changed by then. */
      const afterAct = (n: number) => {
        clearTimeout(actTimer);
        if (n === soon.length) return;
        const mine = (actTimer = setTimeout(async () => {
          const before = last;
          await look(true);
          if (actTimer === mine && last === before) afterAct(n + 1);
        }, soon[n]));
      };
      const stopActs = me.acts.on((act) => {
        if ("feed" in act) afterAct(0);
      });

      const stopReturn = me.onReturn(() => void look(false));
      refresh = () => void look(true);
      void look(true);
      return () => {
        ended.abort();
        clearTimeout(timer);
        clearTimeout(actTimer);
        stopActs();
        stopReturn();
      };
    },

    async after(last, signal = new AbortController().signal) {
      const place = last?.id ?? "";
      const cursor = cursors.get(place);
      if (!cursor) return null;
      try {
        return page(await passEmpty(await pageOf((await ask({ cursor }, signal))!), signal), place);
      } catch (error) {
        if (error instanceof FeedError && error.code === "invalid-argument") return null; // the cursor was made with another key
        throw error;
      }
    },

    refresh: () => refresh(),
  };
}

async function token(of: () => Promise<string>): Promise<string> {
  return of().catch((error: unknown) => {
    if (error instanceof ClientError) throw error;
    throw new FeedError(codeOf(error) || "unavailable", `no token: ${error instanceof Error ? error.message : String(error)}`);
  });
}

/** Decodes a response. A proxy may have sent something else. */
async function json(answer: Response): Promise<Partial<Answer> & { news?: boolean }> {
  const found: unknown = await answer.json().catch(() => null);
  if (typeof found !== "object" || found === null) throw new FeedError("internal", "this is no answer of Feed");
  return found;
}

async function pageOf(answer: Response): Promise<Answer> {
  const { posts, cursor } = await json(answer);
  if (!Array.isArray(posts)) throw new FeedError("internal", "this is no page of Feed");
  return cursor === undefined ? { posts } : { posts, cursor };
}

function toEntry<P>(me: Me<P>, { id, userId, createdAt, data }: Answer["posts"][number]): Entry<P> {
  return { id, order: `${withNanoseconds(createdAt)} ${id}`, post: postFrom(me, id, { userId, ...data }, new Date(createdAt)) };
}

/** Returns "…:00.12Z" as "…:00.120000000". With the same number of digits, texts sort as times. */
function withNanoseconds(time: string): string {
  const [seconds = "", fraction = ""] = time.replace("Z", "").split(".");
  return `${seconds}.${fraction.padEnd(9, "0")}`;
}
