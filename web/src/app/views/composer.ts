/** Form that writes a new post. */
import { type Draft, newPostId, refsOf, errorMessage, writePost } from "relationindex-client";
import { el } from "../../shared/dom";
import type { Context } from "../context";
import { avatar } from "./avatar";
import { readersChoice } from "./readers";
import { announce } from "./say";
import { returned, writeForm } from "./write";

/** The kinds of posts that the form offers. Another client may have other kinds. */
const kinds = { "": "Plain post", photo: "Photo", event: "Event", question: "Question" };

/** Settings for a new post, from the page with the form. */
export interface Page {
  /** The place of the draft: see Drafts. */
  place: string;
  /** The audience that is chosen at first; without it, the user's followers. */
  audience?: { id: string; name: string };
  /** The #names and ids of accounts that the page is about. */
  refs?: string[];
  /** The text in the empty field; without it, "What is new?". */
  placeholder?: string;
}

/**
 * Returns the form. A sent post leaves the field at once, and shows among the user's posts as being sent until the server has it.
 * If the server rejects the post, the text returns to the field. Unsent text is kept as a draft.
 */
export function composer(context: Context, page: Page): HTMLElement {
  const kept = context.drafts.get(page.place);
  let text = "";
  const keep = () => context.drafts.keep(page.place, { text, kind: kind.value, readers: readers.get() });

  // The rejected post, with its id. If it is sent again unchanged, it keeps the id.
  let refused: { id: string; draft: Draft } | undefined;
  const kind = el(
    "select",
    { class: "input", aria: { label: "Kind of post" } },
    ...Object.entries(kinds).map(([value, name]) => el("option", { value }, name)),
  );
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
      const id = refused && JSON.stringify(refused.draft) === JSON.stringify(draft) ? refused.id : newPostId(context.me);
      refused = undefined;
      // After a crash right here, the post is in this device's cache. It is sent when the page is opened again.
      writePost(context.me, draft, id).then(
        () => announce("Posted."),
        (error: unknown) => {
          refused = { id, draft };
          if (!form.giveBack(text, `Not posted. ${errorMessage(error)}`)) return;
          kind.value = chosenKind;
          readers.set(chosen);
        },
      );
    },
  });
  form.node.addEventListener(returned, readers.again);
  return el("section", { class: "composer card", aria: { label: "New post" } }, avatar(context.me.id, context.name).node, form.node);
}
