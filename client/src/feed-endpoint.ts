/**
 * The feed through the function Feed: what the direct query (feed.ts) gives, without the ids of followers, some 8 KB a
 * page whatever the number of followers. And the posts about something, which only Feed can check one by one, and the
 * feed without relations, by pull. It cannot be listened to, so it is polled.
 */
import type { Entry } from "./feed.ts";
import { pageSize } from "./feed.ts";
import type { Page, Source } from "./paged.ts";
import { fieldsOf } from "./posts.ts";

/** A page as Feed answers it. */
interface Answer {
  posts: { id: string; userId: string; createdAt: string; data: Record<string, unknown> }[];
  cursor?: string;
}

/** ms, while the page is visible. Pull reads from everyone that I follow, each time. */
const pollEvery = 3_000;
const pullEvery = 15_000;

/**
 * A poll that finds nothing new is answered 304, without a body. Offline it fails; the SDK's cache has no part in this.
 * There is none while the page is not visible, or `shown` says that the list is not: it is asked from the second on.
 *
 * @param idToken a token of the one who reads, fresh: user.getIdToken
 * @param what ref: posts about this, instead of the feed; source: pull
 */
export function endpointFeed(url: string, idToken: () => Promise<string>, what: { ref?: string; source?: "pull" } = {}, shown: () => boolean = () => true): Source<Entry> {
  const every = what.source === "pull" ? pullEvery : pollEvery;
  const cursors = new Map<string, string>();

  const page = (answer: Answer): Page<Entry> => {
    const items = answer.posts.map(toEntry);
    const last = items.at(-1);
    if (last && answer.cursor) cursors.set(last.id, answer.cursor);
    return { items, more: answer.cursor !== undefined };
  };

  return {
    first(changed, failed) {
      let etag = "";
      let last: Page<Entry> = { items: [], more: false };
      let stopped = false;
      let asked = false;
      let timer = 0;
      const poll = async () => {
        clearTimeout(timer);
        try {
          if (asked && !shown()) return later();
          asked = true;
          const answer = await ask(url, await idToken(), what, etag);
          if (stopped) return;
          etag = answer.headers.get("etag") ?? "";
          if (answer.status !== 304) last = page((await answer.json()) as Answer);
          changed(last);
        } catch (error) {
          if (!stopped) failed(error as Error);
        }
        later();
      };
      const later = () => {
        if (!stopped && !document.hidden) timer = window.setTimeout(poll, every);
      };
      const wake = () => void (document.hidden || poll());
      document.addEventListener("visibilitychange", wake);
      window.addEventListener("online", wake);
      void poll();
      return () => {
        stopped = true;
        clearTimeout(timer);
        document.removeEventListener("visibilitychange", wake);
        window.removeEventListener("online", wake);
      };
    },

    async after(last) {
      const cursor = cursors.get(last.id);
      if (!cursor) return null;
      const answer = await ask(url, await idToken(), { ...what, cursor });
      return page((await answer.json()) as Answer);
    },
  };
}

/** One request; an answer of 304 is no error. The error has Feed's own code and message. */
async function ask(url: string, token: string, parameters: Record<string, string>, etag = ""): Promise<Response> {
  const search = new URLSearchParams({ limit: String(pageSize), ...parameters });
  const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
  if (etag) headers["If-None-Match"] = etag;
  const answer = await fetch(`${url}?${search}`, { headers, cache: "no-store" }).catch(() => {
    throw Object.assign(new Error("the network is gone"), { code: "unavailable" });
  });
  if (answer.ok || answer.status === 304) return answer;
  const { error } = (await answer.json().catch(() => ({}))) as { error?: { code: string; message: string } };
  throw Object.assign(new Error(error?.message ?? `Feed answered ${answer.status}`), { code: error?.code ?? "" });
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
