/**
 * The feed through the function Feed: what relations give, without the ids of followers. And the posts about something,
 * which only Feed can check one by one, and the feed without relations, by pull. It cannot be listened to, so it is asked.
 */
import { pageSize, type Entry } from "./entry.ts";
import { FeedError } from "./errors.ts";
import { isHidden, watchReturn } from "./page.ts";
import type { Page, Source } from "./paged.ts";
import { fieldsOf } from "./posts.ts";

/** A page as Feed answers it. */
interface Answer {
  posts: { id: string; userId: string; createdAt: string; data: Record<string, unknown> }[];
  cursor?: string;
}

/** How many looks in a row ask for news alone. */
const mostQuestions = 9;

/** How many pages with nothing to show are passed at a time. Feed answers with such a page when it has looked for long enough: see docs/feed.md. */
const mostEmpty = 5;

/** ms after which a request has failed. Feed takes at most 25 seconds. */
const patience = 60_000;

export interface EndpointOptions {
  /** Posts about this, instead of the feed. */
  ref?: string;
  /** What Feed reads from, unless it is what the project has first. */
  source?: "relations" | "pull" | "timeline";
  /** ms from one look to the next; without it, 30 seconds. */
  every?: number;
  /** Whether somebody may see the list: while not, nothing is asked for but the first page. Without it, they may. */
  isShown?: () => boolean;
  /** A token of App Check, where Feed asks for one. */
  appCheck?: () => Promise<string>;
}

/**
 * The feed by the function Feed. Costs, for a page of 20, 40 reads, a call of the function and some 8 KB, whatever the number
 * of followers; more by pull: see docs/feed.md.
 *
 * While the page is visible, it looks every 30 seconds whether there is something newer, for one read and a call, and then
 * reads the first page again. Every tenth look reads it in any case: an edit, a deletion, and a post that comes late or with a
 * follow are no news. See refresh. It looks at once when the page is visible again, or the network is back. A page that nobody
 * sees asks for nothing.
 *
 * Offline it fails; the SDK's cache has no part in this. Errors are FeedErrors; it goes on looking.
 *
 * @param idToken a token of the one who reads, fresh: user.getIdToken
 */
export function endpointFeed(url: string, idToken: () => Promise<string>, { every = 30_000, isShown = () => true, appCheck, ...what }: EndpointOptions = {}): Source<Entry> {
  const cursors = new Map<string, string>();
  let refresh = () => {};

  const page = ({ posts, cursor }: Answer): Page<Entry> => {
    const items = posts.map(toEntry);
    const last = items.at(-1);
    if (last && cursor) cursors.set(last.id, cursor);
    return { items, more: cursor !== undefined };
  };

  /** A page, or the one after it where it is empty and not the last. */
  const passEmpty = async (found: Answer): Promise<Answer> => {
    for (let n = 0; found.posts.length === 0 && found.cursor && n < mostEmpty; n++) found = await pageOf((await ask({ cursor: found.cursor }))!);
    return found;
  };

  /** One request; null: answered 304, there is nothing new. */
  const ask = async (parameters: Record<string, string>, headers: Record<string, string> = {}): Promise<Response | null> => {
    const search = new URLSearchParams({ limit: String(pageSize), ...what, ...parameters });
    headers["Authorization"] = `Bearer ${await token(idToken)}`;
    if (appCheck) headers["X-Firebase-AppCheck"] = await token(appCheck);
    const answer = await fetch(`${url}?${search}`, { headers, cache: "no-store", signal: AbortSignal.timeout(patience) }).catch(() => {
      throw new FeedError("unavailable", "no answer: the network is gone, Feed took more than a minute, or RELATIONINDEX_CORS_ORIGINS lacks this page's origin");
    });
    if (answer.status === 304) return null;
    if (!answer.ok) throw await FeedError.of(answer);
    return answer;
  };

  return {
    first(changed, failed) {
      let etag = "";
      let newest = ""; // createdAt of the newest post, as Feed wrote it
      let last: Page<Entry> | undefined;
      let bad = false; // the last look has failed
      let stopped = false;
      let looking = false;
      let wanted = false; // the first page, after this look
      let owed = false; // the first page, which a look should have read, and failed
      let notBefore = 0; // when Feed may be asked again, in ms since 1970
      let questions = 0; // since it was last read
      let timer: ReturnType<typeof setTimeout> | undefined;

      /** Whether the first page is another one now. */
      const read = async (): Promise<boolean> => {
        const answer = await ask({}, etag ? { "If-None-Match": etag } : {});
        questions = 0;
        if (!answer) return false;
        const found = await passEmpty(await pageOf(answer));
        etag = answer.headers.get("etag") ?? "";
        newest = found.posts.map(({ createdAt }) => createdAt).sort((a, b) => (withNanoseconds(a) < withNanoseconds(b) ? 1 : -1))[0] ?? "";
        last = page(found);
        return true;
      };
      const hasNews = async () => {
        const answer = await ask({ news: newest, limit: "1" });
        questions++;
        // A Feed of an earlier release answers with a page: then the first one is read each time.
        return answer !== null && (await json(answer)).news !== false;
      };
      const look = async (whole: boolean) => {
        clearTimeout(timer);
        wanted ||= whole;
        if (stopped || looking || isHidden()) return;
        const early = notBefore - Date.now();
        if (early > 0 || (last && !isShown())) {
          timer = setTimeout(look, Math.max(early, last ? every : 0), false);
          return;
        }
        looking = true;
        let wait = every;
        try {
          owed ||= wanted || newest === "" || questions === mostQuestions;
          wanted = false;
          const fresh = (owed || (await hasNews())) && (await read());
          owed = false;
          if (!stopped && last && (fresh || bad)) changed(last);
          bad = false;
        } catch (error) {
          bad = true;
          if (error instanceof FeedError) notBefore = Date.now() + error.retryAfter * 1000;
          wait = Math.max(every, notBefore - Date.now());
          if (!stopped) failed(error as Error);
        }
        looking = false;
        if (wanted) void look(true);
        else if (!stopped) timer = setTimeout(look, wait, false);
      };

      const stopReturn = watchReturn(() => void look(false));
      refresh = () => void look(true);
      void look(true);
      return () => {
        stopped = true;
        clearTimeout(timer);
        stopReturn();
      };
    },

    async after(last) {
      const cursor = cursors.get(last.id);
      if (!cursor) return null;
      try {
        const found = await passEmpty(await pageOf((await ask({ cursor }))!));
        if (found.posts.length === 0 && found.cursor) cursors.set(last.id, found.cursor); // the next call goes on from there
        return page(found);
      } catch (error) {
        if (error instanceof FeedError && error.code === "invalid-argument") return null; // the key of cursors is another one
        throw error;
      }
    },

    refresh: () => refresh(),
  };
}

async function token(of: () => Promise<string>): Promise<string> {
  return of().catch((error: unknown) => {
    throw new FeedError("unavailable", `no token: ${error instanceof Error ? error.message : String(error)}`);
  });
}

/** A proxy may answer with something else. */
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

function toEntry({ id, userId, createdAt, data }: Answer["posts"][number]): Entry {
  const post = { ...fieldsOf({ userId, ...data }), id, createdAt: new Date(createdAt), sending: false };
  return { id, order: `${withNanoseconds(createdAt)} ${id}`, post };
}

/** "…:00.12Z" as "…:00.120000000": the same number of digits each time, so that text sorts as time does. */
function withNanoseconds(time: string): string {
  const [seconds = "", fraction = ""] = time.replace("Z", "").split(".");
  return `${seconds}.${fraction.padEnd(9, "0")}`;
}
