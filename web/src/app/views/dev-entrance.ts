/** Sign-in by one click in `relationindex dev`: with a seeded account, or as a new person. Other sites do not show it. */
import { errorMessage } from "relationindex-client";
import { el, fill } from "../../shared/dom";
import type { Config } from "../../shared/config";
import type { Session } from "../data/session";
import { avatar } from "./avatar";

export function devEntrance(session: Session, { dev, emulators }: Config): HTMLElement | undefined {
  if (!dev || !emulators?.authHost) return undefined;
  const problem = el("p", { class: "small problem", role: "alert" });
  const button = (label: string, face: string, act: () => Promise<void>) => {
    const node = el("button", { type: "button", class: "button choice" }, avatar(face, face).node, el("span", { class: "clip" }, label));
    node.addEventListener("click", async () => {
      if (node.getAttribute("aria-disabled") === "true") return;
      node.setAttribute("aria-disabled", "true");
      fill(problem);
      await act().catch((error: unknown) => fill(problem, errorMessage(error)));
      node.removeAttribute("aria-disabled");
    });
    return el("li", {}, node);
  };
  const accounts = dev.accounts ?? [];
  return el(
    "section",
    { class: "card stack dev", aria: { label: "Accounts of this machine" } },
    el("h2", {}, "On this machine"),
    el(
      "ul",
      { class: "accounts" },
      ...accounts.map(({ name, email, password }) => button(`Continue as ${name}`, name, () => session.signIn(email, password))),
      button("Continue as a new person", "+", () => newPerson(session)),
    ),
    problem,
  );
}

const firstNames = [
  "Amara",
  "Bela",
  "Carmen",
  "Dilan",
  "Elif",
  "Femi",
  "Gita",
  "Henrik",
  "Ines",
  "Jamal",
  "Keiko",
  "Lars",
  "Mina",
  "Nils",
  "Olga",
  "Priya",
  "Rosa",
  "Samir",
  "Tova",
  "Yusuf",
];
const lastNames = [
  "Abara",
  "Berg",
  "Costa",
  "Demir",
  "Engel",
  "Farkas",
  "Gupta",
  "Holm",
  "Ito",
  "Jansen",
  "Kaya",
  "Lopez",
  "Moreau",
  "Nowak",
  "Okoye",
  "Petrov",
  "Rossi",
  "Silva",
  "Tanaka",
  "Weber",
];

/** Signs up a person with a random name and the seeded accounts' password, so that the person can sign in again. */
async function newPerson(session: Session): Promise<void> {
  const one = (names: string[]) => names[Math.floor(Math.random() * names.length)]!;
  const name = `${one(firstNames)} ${one(lastNames)}`;
  await session.signUp(`${name.toLowerCase().replace(" ", ".")}.${Math.random().toString(36).slice(2, 8)}@example.com`, "password", name);
}
