/** Form with a text field, its limit, its counter and its keys. It is for new posts, comments and edits. */
import { maxText } from "relationindex-client";
import { type KeyboardEvent, type ReactElement, type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { announce } from "../../shared/say";
import { isInSight, useShown } from "../context";

/** Says why a text was not sent, also on another page. Puts the text back if the field is empty, and returns whether it was. */
export type GiveBack = (text: string, reason: string) => boolean;

interface Props {
  label: string;
  placeholder?: string;
  button: string;
  /** Returns the text that the field starts with, again when the page comes back: it may have been sent elsewhere meanwhile. */
  start: () => string;
  /** The most UTF-16 units of a text; without it, the limit of a post. */
  longest?: number;
  rows?: number;
  /** What stands beside the buttons. */
  children?: ReactNode;
  /** Says why the text cannot be sent as it is; "" if it can. */
  missing?: () => string;
  /** Is called with the text after each change. */
  changed?: (text: string) => void;
  /** Sends the text. The field is empty by then. */
  send: (text: string, giveBack: GiveBack) => void;
  /** Leaves the form. With it, the form has the button Cancel; Escape leaves too, and keeps what was typed. */
  cancel?: (keep: boolean) => void;
  /** Whether a text that comes back may stand above the next one: all of this form's texts go to the same readers. */
  addsUp?: boolean;
  /** Why the form is open again; "": the user has opened it. */
  reason?: string;
  field?: RefObject<HTMLTextAreaElement | null>;
}

export function WriteForm(props: Props): ReactElement {
  const { label, placeholder, button, start, longest = maxText, rows = 2, children, missing, changed, send, cancel, addsUp = false, reason = "" } = props;
  const [text, setText] = useState(start);
  const [problem, setProblem] = useState(reason);
  // A form that was used stays open: if it closed as the focus leaves, the page would move under the press that takes the focus.
  const [used, setUsed] = useState(false);
  const own = useRef<HTMLTextAreaElement>(null);
  const field = props.field ?? own;
  const now = useRef(text);
  const write = (next: string) => {
    now.current = next;
    setText(next);
    changed?.(next);
  };

  const shown = useShown();
  const wasShown = useRef(true);
  /** Whether the stored draft was this form's as its page was left. If not, another tab's is stored, or the text is too long for one. */
  const wasKept = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the way back asks again
  useEffect(() => {
    if (shown && !wasShown.current && wasKept.current) write(start());
    wasShown.current = shown;
    if (shown) return;
    setUsed(false);
    wasKept.current = now.current === "" || start() === now.current;
  }, [shown]);

  const giveBack: GiveBack = (old, why) => {
    setProblem(why);
    if (!isInSight(field.current)) announce(why, true);
    const free = now.current === "";
    if (free || addsUp) write(free ? old : `${old}\n\n${now.current}`);
    return free;
  };
  const left = longest - text.length;
  const submit = () => {
    const sent = now.current.trim();
    if (sent === "" || sent.length > longest) return;
    const lacks = missing?.() ?? "";
    setProblem(lacks);
    if (lacks) return;
    write("");
    send(sent, giveBack);
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === "Escape" && cancel) {
      event.stopPropagation();
      cancel(true);
    }
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    submit();
  };

  return (
    <form
      className={used || text || problem ? "write used" : "write"}
      onFocus={() => setUsed(true)}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onKeyDown={key}
    >
      <textarea
        ref={field}
        className="input"
        dir="auto"
        rows={rows}
        placeholder={placeholder}
        aria-label={label}
        aria-invalid={left < 0}
        value={text}
        onInput={(event) => write(event.currentTarget.value)}
      />
      {problem && (
        <p className="small problem" role="alert">
          {problem}
        </p>
      )}
      <div className="row tools">
        {children}
        <span className={left < 0 ? "grow small muted counter bad" : "grow small muted counter"} role="status">
          {left < 0 ? `${(-left).toLocaleString()} too many` : left <= 500 ? `${left.toLocaleString()} left` : ""}
        </span>
        {cancel && (
          <button type="button" className="button quiet small" onClick={() => cancel(false)}>
            Cancel
          </button>
        )}
        {/* aria-disabled, because a disabled button would lose the focus. */}
        <button type="submit" className="button primary small" aria-disabled={left < 0 || text.trim() === ""}>
          {button}
        </button>
      </div>
    </form>
  );
}
