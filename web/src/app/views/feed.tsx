/** Page of the feed: a composer, and the newest posts of all accounts that the user follows, with the user's own new ones. */
import { type Entry, feed, type Fields, groupReposts, isFiltered, type Reader, unreadOf } from "relationindex-client";
import { type List, useList, useValue } from "relationindex-client/react";
import { type ReactElement, useContext, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { run } from "../../shared/say";
import { sourceKey, sourceOf } from "../../shared/source";
import { ReaderContext, useApp, useMine, useShown } from "../context";
import { href } from "../routes";
import { Composer } from "./composer";
import { Empty, ListView, Title } from "./list";
import { PostRow, postSkeleton } from "./post";
import { unreadText } from "./words";

export const newPosts = (count: number): string => (count === 1 ? "1 new post" : `${count} new posts`);

export function FeedPage(): ReactElement {
  const { config } = useApp();
  const reader = useContext(ReaderContext);
  const [beside, setBeside] = useState<HTMLElement | null>(null);
  const [from, setFrom] = useState(() => sourceOf(config));
  useEffect(() => {
    // The console has changed the source.
    const chosen = ({ key }: StorageEvent) => void (key === sourceKey && setFrom(sourceOf(config)));
    window.addEventListener("storage", chosen);
    return () => window.removeEventListener("storage", chosen);
  }, [config]);
  const waits = from === "timeline" && config.timelines?.settings && !reader;
  return (
    <>
      <Title beside={<span ref={setBeside} className="unread row small" />}>Feed</Title>
      <Composer place="feed" />
      {waits ? null : from === "timeline" ? (
        reader ? (
          <TimelineList reader={reader} beside={beside} />
        ) : (
          <FeedList from={from} keep={isThere} />
        )
      ) : (
        <FeedList key={from} from={from} />
      )}
    </>
  );
}

const isThere = ({ gone, place, own }: Entry<Fields>) => own || (!gone && !place?.hidden);

function FeedList({ from, keep }: { from: ReturnType<typeof sourceOf>; keep?: (entry: Entry<Fields>) => boolean }): ReactElement {
  const me = useMine();
  const shown = useRef(true);
  shown.current = useShown();
  // With the posts, because their rows show numbers.
  const list = useList(() => feed(me, { from, posts: true, isShown: () => shown.current }), [me, from], { merge: groupReposts, ...(keep && { keep }) });
  return <Posts list={list} />;
}

const Posts = ({ list, row }: { list: List<Entry<Fields>>; row?: (entry: Entry<Fields>) => ReactElement }) => (
  <ListView
    list={list}
    label="Posts of the people you follow"
    row={row ?? ((entry) => <PostRow item={entry} />)}
    keyOf={({ id, post }) => post.repostOf || id} // one more who reposts changes the entry's id, and not the row
    skeleton={postSkeleton}
    waiting={newPosts}
    empty={
      <Empty
        title="Your feed is empty"
        action={
          <a className="button primary" href={href({ to: "people", tab: "everyone" })}>
            Find people
          </a>
        }
      >
        Follow some people, and what they write shows here as they write it.
      </Empty>
    }
  />
);

/** The user's timeline. Posts that the user hides disappear at once. New posts are counted beside the title, where nothing moves for it. */
function TimelineList({ reader, beside }: { reader: Reader; beside: HTMLElement | null }): ReactElement {
  const me = useMine();
  const list = useList(() => feed(me, { from: "timeline" }), [me], { merge: groupReposts, keep: (entry) => isKept(reader, entry) });
  const hidden = useValue(reader.hidden);
  const settings = useValue(reader.settings);
  const readAt = useValue(reader.readAt);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list asks isKept again
  useEffect(() => list.again(), [settings, readAt, hidden]);
  const now = unreadOf(
    list.items.filter(({ id, post }) => hidden.get(id) !== true && post.userId !== me.id),
    list.more,
    readAt,
  );
  // While the list loads, the number stays, and so do the posts that "Mark as read" marks.
  const known = useRef(now);
  if (list.status !== "loading") known.current = now;
  const unread = known.current;
  const text = unreadText(unread);
  const button = useRef<HTMLButtonElement>(null);
  const markRead = () => {
    button.current?.closest(".view")?.querySelector("h1")?.focus({ preventScroll: true }); // the button goes
    run(reader.markRead(unread.newest), "Marked as read.", "Not marked.");
  };
  return (
    <>
      {beside &&
        createPortal(
          <>
            <span role="status">{text}</span>
            {text && (
              <button ref={button} type="button" className="link" onClick={markRead}>
                Mark as read
              </button>
            )}
          </>,
          beside,
        )}
      <Posts
        list={list}
        row={(entry) => <TimelineRow reader={reader} entry={entry} isLine={entry.id === unread.line} isHidden={hidden.get(entry.id) === true} />}
      />
    </>
  );
}

/** A post that the user has just hidden stays, as a line that can show the post again. */
function isKept(reader: Reader, { id, gone, place, post, own }: Entry<Fields>): boolean {
  const clicked = reader.hidden.get().get(id);
  if (own || clicked === true) return true;
  if (gone || !place || (place.hidden && clicked !== false)) return false;
  return !isFiltered(reader.settings.get(), place.author || post.userId, place.kind);
}

interface RowProps {
  reader: Reader;
  entry: Entry<Fields>;
  /** The line between new and old posts stands above it. */
  isLine: boolean;
  isHidden: boolean;
}

function TimelineRow({ reader, entry, isLine, isHidden }: RowProps): ReactElement {
  const undo = useRef<HTMLButtonElement>(null);
  const focus = useRef(false);
  useEffect(() => {
    if (isHidden && focus.current) undo.current?.focus();
    focus.current = false;
  }, [isHidden]);
  const showAgain = () => {
    for (const id of entry.ids ?? [entry.id]) run(reader.showPost(id), "", "Not changed.");
  };
  return (
    <>
      {isLine && (
        <div className="unread-line small" role="separator" aria-label="New posts are above">
          <span>New posts are above</span>
        </div>
      )}
      {isHidden ? (
        <div className="row gone">
          <span className="grow small muted">Hidden from your feed.</span>
          <button ref={undo} type="button" className="button small" onClick={showAgain}>
            Show again
          </button>
        </div>
      ) : (
        <PostRow item={entry} hidden={() => (focus.current = true)} />
      )}
    </>
  );
}
