/** Form that writes a new post: one line until it is used. */
import { type Draft, errorMessage, newPostId, refsOf, writePost } from "relationindex-client";
import { type ReactElement, useRef, useState } from "react";
import { announce } from "../../shared/say";
import { useApp, useMine } from "../context";
import { AudienceChip, type Choice, nobodyChosen } from "./audience";
import { Avatar } from "./avatar";
import { type GiveBack, WriteForm } from "./write";

interface Props {
  /** The place of the draft: see Drafts. */
  place: string;
  /** The audience that is chosen at first; without it, the user's followers. */
  audience?: { id: string; name: string };
  /** The #names and ids of accounts that the page is about. */
  refs?: string[];
  placeholder?: string;
}

/**
 * A sent post leaves the field at once, and shows among the posts as being sent until the server has it. If the server rejects the
 * post, the text returns to the field. Unsent text is kept as a draft.
 */
export function Composer({ place, audience, refs = [], placeholder = "What is new?" }: Props): ReactElement {
  const me = useMine();
  const { account, drafts } = useApp();
  const first: Choice = { audience: audience?.id ?? me.id, name: audience?.name ?? "", to: [], kind: "" };
  const stored = (): Choice => {
    const draft = drafts.get(place);
    return draft ? { ...first, ...draft.readers, kind: draft.kind ?? "" } : first;
  };
  const [choice, setChoice] = useState(stored);
  const text = useRef(drafts.get(place)?.text ?? "");
  const now = useRef(choice);
  const keep = () => {
    const { kind, ...readers } = now.current;
    drafts.keep(place, { text: text.current, kind, readers });
  };
  const choose = (next: Choice) => {
    now.current = next;
    setChoice(next);
    keep();
  };
  // A post that was rejected while the next one was in the field already.
  const lost = `${place}/refused`;
  const [waits, setWaits] = useState(() => drafts.get(lost) !== undefined);
  const [forms, setForms] = useState(0);
  const bringBack = () => {
    const draft = drafts.get(lost);
    if (draft && text.current.trim()) return announce("Send what you write first, or empty the field.", true);
    setWaits(false);
    if (!draft) return;
    drafts.keep(place, draft);
    drafts.keep(lost, { text: "" });
    text.current = draft.text;
    now.current = stored();
    setChoice(now.current);
    setForms(forms + 1); // the new form begins with the draft
  };

  // The rejected post, with its id. If it is sent again unchanged, it keeps the id.
  const refused = useRef<{ id: string; draft: Draft } | undefined>(undefined);
  const send = (sent: string, giveBack: GiveBack) => {
    const chosen = now.current;
    const draft: Draft = { text: sent, audience: chosen.audience, to: chosen.to.map(({ id }) => id), refs: refsOf(sent, refs), kind: chosen.kind };
    choose(first);
    const again = refused.current && JSON.stringify(refused.current.draft) === JSON.stringify(draft);
    const id = again ? refused.current!.id : newPostId(me);
    refused.current = undefined;
    // After a crash right here, the post is in this device's cache. It is sent when the page is opened again.
    writePost(me, draft, id).then(
      () => announce("Posted."),
      (error: unknown) => {
        refused.current = { id, draft };
        if (giveBack(sent, `Not posted. ${errorMessage(error)}`)) return choose(chosen);
        const { kind, ...readers } = chosen;
        drafts.keep(lost, { text: sent, kind, readers });
        setWaits(true);
      },
    );
  };

  return (
    <section className="composer" aria-label="New post">
      <Avatar account={account} />
      <WriteForm
        key={forms}
        label="Write a post"
        placeholder={placeholder}
        button="Post"
        rows={1}
        start={() => {
          const draft = stored();
          // On the way back, the draft of another tab brings its readers too.
          if (drafts.get(place) && JSON.stringify(draft) !== JSON.stringify(now.current)) {
            now.current = draft;
            setChoice(draft);
          }
          return drafts.get(place)?.text ?? "";
        }}
        changed={(next) => {
          text.current = next;
          keep();
        }}
        missing={() => (nobodyChosen(now.current) ? "Add somebody who gets it." : "")}
        send={send}
      >
        <AudienceChip choice={choice} choose={choose} />
      </WriteForm>
      {waits && (
        <button type="button" className="link small" onClick={bringBack}>
          Bring back what was not sent
        </button>
      )}
    </section>
  );
}
