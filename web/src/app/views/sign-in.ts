/** Page for a user who is not signed in: sign-in, sign-up, and the question for a name if a sign-up was cut short. */
import { errorMessage } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Config } from "../../shared/config";
import type { View } from "../context";
import type { Session } from "../data/session";
import { devEntrance } from "./dev-entrance";
import { mark } from "./icons";

export function signInView(session: Session, config: Config): View {
  const body = el("div", {});
  if (config.emulators && !config.emulators.authHost) fill(body, noAuthEmulator());
  else entrance(session, body);
  return { node: door(body, devEntrance(session, config)), close: () => {} };
}

/** Asks for the name of an account without a profile. */
export function nameView(session: Session): View {
  const name = field("Name", "name", { autocomplete: "name", maxLength: 50 });
  const form = submitting("What shall people call you?", "Continue", [name.node], () => session.giveName(name.input.value.trim()));
  return { node: door(form), close: () => {} };
}

function door(body: HTMLElement, more?: HTMLElement): HTMLElement {
  return el(
    "div",
    { class: "door" },
    el(
      "div",
      { class: "door-say" },
      mark(44),
      el("h1", { tabIndex: -1 }, "The newest posts of the people you follow."),
      el("p", { class: "muted" }, "Nothing else, and nothing in between: newest first, as they are written."),
    ),
    el("div", { class: "stack" }, el("div", { class: "card" }, body), more),
  );
}

function noAuthEmulator(): HTMLElement {
  return el(
    "div",
    { class: "stack" },
    el("h2", {}, "Sign-in needs the Auth emulator"),
    el("p", {}, "It comes with firebase-tools, which is not installed. In the project's folder:"),
    el("pre", { class: "mono", tabIndex: 0 }, "cd web && npm ci"),
    el("p", { class: "muted" }, "Then start ", el("code", {}, "relationindex dev"), " again, and load this page once more."),
  );
}

/** Shows sign-in or sign-up. Both forms share the fields, so that a change between them loses no text. */
function entrance(session: Session, body: HTMLElement): void {
  const name = field("Name", "name", { autocomplete: "name", maxLength: 50 });
  const email = field("E-mail", "email", { type: "email", autocomplete: "email" });
  const password = field("Password", "password", { type: "password", minLength: 6 });

  const show = (signUp: boolean) => {
    password.input.autocomplete = signUp ? "new-password" : "current-password";
    const change = el(
      "button",
      { type: "button", class: "link", on: { click: () => (show(!signUp), (signUp ? email : name).input.focus()) } },
      signUp ? "Sign in" : "Create one",
    );
    const form = signUp
      ? submitting("Create an account", "Create account", [name.node, email.node, password.node], () =>
          session.signUp(email.input.value, password.input.value, name.input.value.trim()),
        )
      : submitting("Sign in", "Sign in", [email.node, password.node], () => session.signIn(email.input.value, password.input.value));
    fill(body, form, el("p", { class: "small muted change" }, signUp ? "You have an account? " : "No account yet? ", change));
  };
  show(false);
}

interface Field {
  node: HTMLElement;
  input: HTMLInputElement;
}

function field(label: string, name: string, props: Partial<Pick<HTMLInputElement, "type" | "autocomplete" | "maxLength" | "minLength">>): Field {
  const input = el("input", { class: "input", id: `field-${name}`, name, required: true, ...props } as Parameters<typeof el<"input">>[1]);
  return { input, node: el("div", { class: "field" }, el("label", { htmlFor: input.id }, label), input) };
}

/** Returns a form that shows when it is busy, and what went wrong. */
function submitting(title: string, button: string, fields: HTMLElement[], act: () => Promise<void>): HTMLFormElement {
  const problem = el("p", { class: "small problem", role: "alert" });
  const submit = el("button", { type: "submit", class: "button primary" }, button);
  const form = el("form", { class: "stack" }, el("h2", {}, title), ...fields, problem, submit);
  let busy = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (busy) return;
    busy = true;
    submit.setAttribute("aria-disabled", "true");
    fill(problem);
    try {
      await act();
    } catch (error) {
      fill(problem, errorMessage(error));
    }
    busy = false;
    submit.removeAttribute("aria-disabled");
  });
  return form;
}
