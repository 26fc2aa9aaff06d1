/** Forms that show when they are busy, and what went wrong. */
import { errorMessage } from "relationindex-client";
import { type FormEvent, type ReactElement, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { announce } from "../../shared/say";
import { isInSight } from "../context";

interface Props {
  title: string;
  button: string;
  className?: string;
  /** isHere says whether the form is still in the page. */
  act: (fields: FormData, isHere: () => boolean) => Promise<void>;
  /** With it, the form has the button Cancel, and Escape does the same. */
  cancel?: () => void;
  problem?: string;
  children: ReactNode;
}

export function Form({ title, button, className = "stack", act, cancel, problem = "", children }: Props): ReactElement {
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState(problem);
  const form = useRef<HTMLFormElement>(null);
  // A form that can be left was opened by the user: the keyboard goes on in it.
  const opened = cancel !== undefined && problem === "";
  useEffect(() => {
    const field = opened ? form.current?.querySelector("input") : undefined;
    field?.focus();
    field?.select();
  }, [opened]);
  const isHere = () => isInSight(form.current);
  const leave = () => busy || cancel?.(); // what is being sent cannot be taken back
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setSaid("");
    try {
      await act(new FormData(event.currentTarget), isHere);
    } catch (error) {
      if (isHere()) setSaid(errorMessage(error));
      else announce(`Not saved. ${errorMessage(error)}`, true);
    }
    setBusy(false);
  };
  return (
    <form ref={form} className={className} aria-label={title} onSubmit={(event) => void submit(event)} onKeyDown={({ key }) => key === "Escape" && leave()}>
      <h2>{title}</h2>
      {children}
      {said && (
        <p className="small problem" role="alert">
          {said}
        </p>
      )}
      <div className={cancel ? "row end" : "stack"}>
        {cancel && (
          <button type="button" className="button quiet" aria-disabled={busy} onClick={leave}>
            Cancel
          </button>
        )}
        <button type="submit" className="button primary" aria-disabled={busy}>
          {button}
        </button>
      </div>
    </form>
  );
}

/** A labelled field. `field` gets the id that its label names. */
export function Field({ label, field }: { label: string; field: (id: string) => ReactElement }): ReactElement {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {field(id)}
    </div>
  );
}

export const textOf = (fields: FormData, name: string): string => String(fields.get(name) ?? "").trim();
