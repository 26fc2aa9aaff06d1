import { type Draft, newPostId, refsOf, say, writePost } from "relationindex-client";
import { el } from "../../shared/dom";
import type { Context } from "../context";
import { avatar } from "./avatar";
import { readersChoice } from "./readers";
import { wrote } from "./refresh";
import { announce } from "./say";
import { returned, writeForm } from "./write";

/** The kinds that it offers. Another client may have its own. */
const kinds = { "": "Plain post", photo: "Photo", event: "Event", question: "Question" };

/** What the page that one is on says of a new post. */
export interface Page {
  /** Its place among the drafts. */
  place: string;
  /** The audience that is chosen at first; my followers without it. */
  audience?: { id: string; name: string };
  /** What the page is about. */
  refs?: string[];
  /** "What is new?" without it. */
  placeholder?: string;
}

/**
 * Where a post is written. It leaves the field at once, and shows among one's posts as being sent until the server has
 * it. If the server refuses it, the text comes back. What is not sent is kept as a draft.
 */
export function composer(context: Context, page: Page): HTMLElement {
  const kept = context.drafts.get(page.place);
  let text = "";
  const keep = () => context.drafts.keep(page.place, { text, kind: kind.value, readers: readers.get() });

  // What was refused, with its id: sent again, it is the same post.
  let refused: { id: string; draft: Draft } | undefined;
  const kind = el("select", { class: "input", aria: { label: "Kind of post" } }, ...Object.entries(kinds).map(([value, name]) => el("option", { value }, name)));
  kind.addEventListener("change", keep);
  const readers = readersChoice(context, page.audience, kind, keep);
  if (kept) {
    text = kept.text;
    kind.value = kept.kind ?? "";
    if (kept.readers) readers.set(kept.readers);
  }

  const form = writeForm({
    label: "Write a post",
    placeholder: page.placeholder ?? "What is new?",
    button: "Post",
    text: () => context.drafts.get(page.place)?.text ?? "",
    choices: readers.node,
    missing: readers.missing,
    changed: (next) => {
      text = next;
      keep();
    },
    send: (text) => {
      const chosenKind = kind.value;
      kind.value = "";
      const chosen = readers.take();
      const draft: Draft = { text, audience: chosen.audience, to: chosen.to.map(({ id }) => id), refs: refsOf(text, page.refs ?? []), kind: chosenKind };
      const id = refused && JSON.stringify(refused.draft) === JSON.stringify(draft) ? refused.id : newPostId(context.db);
      refused = undefined;
      // A crash right after it: the post is in this device's cache, and is sent when the page is opened again.
      writePost(context.db, id, context.me.uid, draft).then(
        () => (wrote(context), announce("Posted.")),
        (error: unknown) => {
          refused = { id, draft };
          if (!form.giveBack(text, `Not posted. ${say(error)}`)) return;
          kind.value = draft.kind;
          readers.set(chosen);
        },
      );
    },
  });
  form.node.addEventListener(returned, readers.again);
  return el("section", { class: "composer card", aria: { label: "New post" } }, avatar(context.me.uid, context.me.name).node, form.node);
}
