/** List of the feed from the user's timeline. Posts that the user hides disappear at once, and new posts are counted. */
import { type Entry, feed, groupReposts, isFiltered, Paged, type Reader, unreadOf, Value } from "relationindex-client";
import { el } from "../../shared/dom";
import type { Context, View } from "../context";
import { filtersPanel } from "./filters";
import { listView, type ListOptions } from "./list";
import { postRow } from "./post";
import { timelineRow } from "./timeline-row";
import { unreadView } from "./unread";

/** tools stand in the feed's header, and panel stands below it. */
export interface TimelineView extends View {
  tools: HTMLElement[];
  panel: HTMLElement | undefined;
}

export function timelineList(context: Context, options: Omit<ListOptions<Entry>, "row">): TimelineView {
  const { me, reader } = context;
  const source = feed(me, { from: "timeline" });
  if (!reader) {
    const entries = new Paged(source, { keep: ({ gone, place }) => !gone && !place?.hidden, merge: groupReposts });
    const list = listView(entries, { ...options, row: (entry) => postRow(context, entry) });
    return { ...list, tools: [], panel: undefined };
  }

  const entries = new Paged(source, { keep: (entry) => isKept(reader, entry), merge: groupReposts });
  const line = new Value("");
  const list = listView(entries, { ...options, row: (entry) => timelineRow(context, reader, line, entry) });
  const unread = unreadView(reader);
  const filters = filtersPanel(context, reader);
  const stops = [
    reader.settings.subscribe(() => entries.again()),
    reader.readAt.subscribe(() => entries.again()),
    reader.hidden.subscribe(() => entries.again()),
    entries.state.subscribe(({ items, more, status }) => {
      if (status === "loading") return; // the number stays, and so do the posts that "Mark as read" marks
      const shown = items.filter(({ id }) => reader.hidden.get().get(id) !== true);
      const now = unreadOf(shown, more, reader.readAt.get());
      unread.update(now);
      line.set(now.line);
    }),
  ];
  return {
    node: list.node,
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
function isKept(reader: Reader, { id, gone, place, post, own }: Entry): boolean {
  const clicked = reader.hidden.get().get(id);
  if (own || clicked === true) return true;
  if (gone || !place || (place.hidden && clicked !== false)) return false;
  return !isFiltered(reader.settings.get(), place.author || post.userId, place.kind);
}
