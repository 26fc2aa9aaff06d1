/** Sign-in by one click in `relationindex dev`: with a seeded account, or as a new person. Other sites do not show it. */
import { errorMessage } from "relationindex-client";
import { type ReactElement, useState } from "react";
import type { Config } from "../../shared/config";
import type { Session } from "../data/session";
import { Avatar } from "./avatar";

export function DevEntrance({ session, config: { dev, emulators } }: { session: Session; config: Config }): ReactElement | null {
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState("");
  if (!dev || !emulators?.authHost) return null;
  const entry = (label: string, face: string, act: () => Promise<void>) => {
    const press = async () => {
      if (busy) return;
      setBusy(label);
      setProblem("");
      await act().catch((error: unknown) => setProblem(errorMessage(error)));
      setBusy("");
    };
    return (
      <li key={label}>
        <button type="button" className="button account" aria-disabled={busy === label} onClick={() => void press()}>
          <Avatar small account={{ id: face, name: face, photoURL: "" }} />
          <span className="clip">{label}</span>
        </button>
      </li>
    );
  };
  return (
    <section className="card stack dev" aria-label="Accounts of this machine">
      <h2>On this machine</h2>
      <ul className="accounts">
        {(dev.accounts ?? []).map(({ name, email, password }) => entry(`Continue as ${name}`, name, () => session.signIn(email, password)))}
        {entry("Continue as a new person", "+", () => newPerson(session))}
      </ul>
      {problem && (
        <p className="small problem" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}

const firstNames = "Amara Bela Carmen Dilan Elif Femi Gita Henrik Ines Jamal Keiko Lars Mina Nils Olga Priya Rosa Samir Tova Yusuf".split(" ");
const lastNames = "Abara Berg Costa Demir Engel Farkas Gupta Holm Ito Jansen Kaya Lopez Moreau Nowak Okoye Petrov Rossi Silva Tanaka Weber".split(" ");

/** Signs up a person with a random name and the seeded accounts' password, so that the person can sign in again. */
async function newPerson(session: Session): Promise<void> {
  const one = (names: string[]) => names[Math.floor(Math.random() * names.length)]!;
  const name = `${one(firstNames)} ${one(lastNames)}`;
  await session.signUp(`${name.toLowerCase().replace(" ", ".")}.${Math.random().toString(36).slice(2, 8)}@example.com`, "password", name);
}
