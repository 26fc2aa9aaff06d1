/** List of the feed from the user's timeline. Posts that the user hides disappear at once, and new posts are counted. */
import { type Entry, groupReposts, hides, type ListState, Paged, type Reader, timelineFeed, type Timelines, unreadOf, Value } from "relationindex-client";
import { el } from "../../shared/dom";
import type { Context, View } from "../context";
import { filtersPanel } from "./filters";
import { listView, type ListOptions } from "./list";
import { postRow } from "./post";
import { timelineRow } from "./timeline-row";
import { unreadView } from "./unread";

/** state is the list's state. tools stand in the feed's header, and panel stands below it. */
export interface TimelineView extends View {
  state: Value<ListState<Entry>>;
  tools: HTMLElement[];
  panel: HTMLElement | undefined;
}

export function timelineList(context: Context, { layout }: Timelines, options: Omit<ListOptions<Entry>, "row">): TimelineView {
  const { db, me, reader } = context;
  const source = timelineFeed(db, me.uid, layout);
  if (!reader) {
    const entries = new Paged(source, true, ({ gone, place }) => !gone && !place?.hidden, groupReposts);
    const list = listView(entries, { ...options, row: (entry) => postRow(context, entry) });
    return { ...list, state: entries.state, tools: [], panel: undefined };
  }

  const entries = new Paged(source, true, (entry) => isKept(reader, entry), groupReposts);
  const line = new Value("");
  const list = listView(entries, { ...options, row: (entry) => timelineRow(context, reader, line, entry) });
  const unread = unreadView(reader);
  const filters = filtersPanel(context, reader);
  const stops = [
    reader.settings.watch(() => entries.again()),
    reader.readAt.watch(() => entries.again()),
    reader.hidden.watch(() => entries.again()),
    entries.state.watch(({ items, more, loading }) => {
      if (loading) return; // the number stays, and so do the posts that "Mark as read" marks
      const shown = items.filter(({ id }) => reader.hidden.get().get(id) !== true);
      const now = unreadOf(shown, more, reader.readAt.get());
      unread.update(now);
      line.set(now.line);
    }),
  ];
  return {
    node: list.node,
    state: entries.state,
    tools: [unread.node, el("span", { class: "grow" }), filters.button],
    panel: filters.panel,
    close() {
      for (const stop of stops) stop();
      filters.close();
      list.close();
    },
  };
}

/**
 * Reports whether the list keeps an entry. A post that the user has just hidden stays, as a line that can show the post again.
 */
function isKept(reader: Reader, { id, gone, place, post }: Entry): boolean {
  const clicked = reader.hidden.get().get(id);
  if (clicked === true) return true;
  if (gone || !place || (place.hidden && clicked !== false)) return false;
  return !hides(reader.settings.get(), place.author || post.userId, place.kind);
}
