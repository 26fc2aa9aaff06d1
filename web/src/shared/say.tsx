/** Announcements: lines that say what has happened, and disappear by themselves; and questions before an act. */
import { errorMessage, Value } from "relationindex-client";
import { useValue } from "relationindex-client/react";
import { useEffect, useRef, type ReactElement } from "react";
import { Words } from "./words";

interface Said {
  text: string;
  bad: boolean;
  /** Its number: the same words again are a new line, which is read again. */
  n: number;
  /** The page on which it was said. */
  at: string;
}

let count = 0;
const said = new Value<Said | undefined>(undefined);

/** Shows a line with what has happened. An act that opens another page must announce afterwards: see leavePage. */
export const announce = (text: string, bad = false): void => said.set({ text, bad, n: ++count, at: location.hash });

/** Runs an act, and announces how it ended: `done`, or `not` and why. */
export function run(act: Promise<unknown>, done: string, not = ""): void {
  act.then(
    () => done && announce(done),
    (error: unknown) => announce(`${not} ${errorMessage(error)}`.trim(), true),
  );
}

/** Removes the line and the question of a page that the user has left. A line about a problem stays until its time is over. */
export function leavePage(): void {
  answer(false);
  const now = said.get();
  if (now && !now.bad && now.at !== location.hash) said.set(undefined);
}

/** The place of the announcements. The page has it once, and screen readers read each new line. */
export function Announcements(): ReactElement {
  const now = useValue(said);
  useEffect(() => {
    if (!now) return;
    const timer = setTimeout(() => said.set(undefined), now.bad ? 8_000 : 4_000);
    return () => clearTimeout(timer);
  }, [now]);
  return (
    <div className="toasts" role="status">
      {now && (
        <div key={now.n} className={now.bad ? "toast bad" : "toast"}>
          <Words text={now.text} />
        </div>
      )}
    </div>
  );
}

interface Question {
  text: string;
  yes: string;
  answer: (yes: boolean) => void;
}

const asked = new Value<Question | undefined>(undefined);

/** Asks in a dialog. Resolves to whether the user pressed `yes`. */
export const confirm = (text: string, yes: string): Promise<boolean> => new Promise((answer) => asked.set({ text, yes, answer }));

function answer(yes: boolean): void {
  asked.get()?.answer(yes);
  asked.set(undefined);
}

/** The dialog of confirm. The page has it once. The platform keeps the focus in it, and gives the focus back. */
export function Questions(): ReactElement {
  const question = useValue(asked);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (question && !dialog.current?.open) dialog.current?.showModal();
    if (!question) dialog.current?.close();
  }, [question]);
  const end = () => {
    answer(dialog.current?.returnValue === "yes");
    if (dialog.current) dialog.current.returnValue = "";
  };
  return (
    <dialog ref={dialog} {...{ closedby: "any" }} className="question" aria-labelledby="question" onClose={end}>
      <p id="question">
        <Words text={question?.text ?? ""} />
      </p>
      <form method="dialog" className="row">
        <button autoFocus className="button">
          Cancel
        </button>
        <button className="button danger" value="yes">
          {question?.yes}
        </button>
      </form>
    </dialog>
  );
}
