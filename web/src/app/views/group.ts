/** Page of a group: its description and its posts. The owner also sees the lists of people. */
import { type Account, isolatedText, mayPost, errorMessage, watchAccount } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Context, View } from "../context";
import { href, parts, type Part } from "../routes";
import { avatar } from "./avatar";
import { composer } from "./composer";
import { numbersLine } from "./counts";
import { followButton } from "./follow-button";
import { describeGroup } from "./group-form";
import { closedGroup, goneGroup, groupList } from "./group-lists";
import { ownerButtons } from "./group-owner";
import { loading } from "./loading";
import { tabsView } from "./tabs";
import { nobody } from "./words";

/** What the page shows of a group, beside its numbers. */
const looks = (group: Account | null | undefined) => group && JSON.stringify([group.name, group.closed, group.ownerId, group.post]);

export function groupView(context: Context, id: string, part: Part): View {
  const { me } = context;
  const face = avatar(id);
  const name = el("h1", { tabIndex: -1 }, "\u00a0");
  const about = el("p", { class: "small muted" });
  const numbers = context.config.counts ? numbersLine(id) : undefined;
  const below = el("div", { class: "row wrap below-name" });
  const form = el("div", {});
  const tabs = el("div", {});
  const write = el("div", {});
  const place = el("div", {}, loading());
  let group: Account | null | undefined;
  let member: boolean | undefined; // not known yet
  let follow: View | undefined;
  let list: View | undefined;
  let shown = { what: "", writes: false };
  let open = true;

  const stop = watchAccount(
    me,
    id,
    (next, fromCache) => {
      if (!next && fromCache && group === undefined) return; // the server may have the group
      if (next) numbers?.update(next.counts);
      const changed = looks(group) !== looks(next);
      group = next;
      if (changed) show();
    },
    (error) => fill(place, el("div", { class: "notice bad", role: "alert" }, errorMessage(error))),
  );

  const show = () => {
    follow?.close();
    follow = group
      ? followButton(context, group, (now) => {
          if (now === member) return;
          member = now;
          void showBody();
        })
      : undefined;
    const owner = group?.ownerId === me.id;
    fill(name, group ? isolatedText(group.name || nobody) : "A group that is gone");
    face.rename(group?.name ?? "");
    fill(about, group && describeGroup(group));
    fill(below, follow?.node, el("span", { class: "grow" }), group && owner && el("div", { class: "row" }, ...ownerButtons(context, id, group, below, form)));
    fill(tabs, owner && tabsView("Of this group", parts, part, (to) => href({ to: "profile", uid: id, part: to })));
    void showBody();
  };

  /**
   * Shows the composer and the list, if the user may use them. An unchanged part stays in the page, with any text being written.
   */
  const showBody = async () => {
    const moderator = await context.moderator;
    if (!open) return;
    const owner = group?.ownerId === me.id;
    if (group?.closed && !owner && member === undefined) return;
    const what = !group ? "gone" : owner ? part : group.closed && !member ? "closed" : "posts";
    const writes = what === "posts" && group !== null && group !== undefined && mayPost(me, group, member ?? false);
    const was = shown;
    shown = { what, writes };
    if (writes !== was.writes) fill(write, writes && group && composer(context, { place: `group/${id}`, audience: { id, name: group.name } }));
    if (what === was.what) return;
    list?.close();
    list = what === "gone" || what === "closed" ? undefined : groupList(context, id, what, moderator);
    fill(place, list?.node ?? (what === "gone" ? goneGroup() : closedGroup()));
  };

  return {
    node: el(
      "div",
      { class: "view" },
      el("section", { class: "profile row", aria: { label: "Group" } }, face.node, el("div", { class: "grow" }, name, about, numbers?.node, below)),
      form,
      tabs,
      write,
      place,
    ),
    close() {
      open = false;
      stop();
      follow?.close();
      list?.close();
    },
  };
}
