/** Page for a user who is not signed in: sign-in, sign-up, and the question for a name if a sign-up was cut short. */
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from "react";
import type { Config } from "../../shared/config";
import { useMine } from "../context";
import type { Session } from "../data/session";
import { DevEntrance } from "./dev-entrance";
import { Field, Form, textOf } from "./form";

export const SignInPage = ({ session, config }: { session: Session; config: Config }): ReactElement => (
  <Door more={<DevEntrance session={session} config={config} />}>
    {config.emulators && !config.emulators.authHost ? <NoAuthEmulator /> : <Entrance session={session} />}
  </Door>
);

/** Asks for the name of an account without a profile. */
export function NamePage({ session }: { session: Session }): ReactElement {
  const me = useMine();
  return (
    <Door>
      <Form title="What shall people call you?" button="Continue" act={(fields) => session.giveName(me, textOf(fields, "name"))}>
        <NameField />
      </Form>
    </Door>
  );
}

const Door = ({ children, more }: { children: ReactNode; more?: ReactNode }) => (
  <main id="main" tabIndex={-1} className="door">
    <div className="door-say">
      <img src="/icon.svg" alt="" width={44} height={44} />
      <h1 tabIndex={-1}>The newest posts of the people you follow.</h1>
      <p className="muted">Nothing else, and nothing in between: newest first, as they are written.</p>
    </div>
    <div className="stack">
      <div className="card">{children}</div>
      {more}
    </div>
  </main>
);

const NoAuthEmulator = () => (
  <div className="stack">
    <h2>Sign-in needs the Auth emulator</h2>
    <p>It comes with firebase-tools, which is not installed. In the project's folder:</p>
    <pre className="mono" tabIndex={0}>
      cd web && npm ci
    </pre>
    <p className="muted">
      Then start <code>relationindex dev</code> again, and load this page once more.
    </p>
  </div>
);

const NameField = () => <Field label="Name" field={(id) => <input className="input" id={id} name="name" required autoComplete="name" maxLength={50} />} />;

/** Sign-in or sign-up. Both share the fields, so that a change between them loses no text. */
function Entrance({ session }: { session: Session }): ReactElement {
  const [signUp, setSignUp] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const changed = useRef(false);
  useEffect(() => {
    if (changed.current) box.current?.querySelector<HTMLElement>(signUp ? "[name=name]" : "[name=email]")?.focus();
    changed.current = true;
  }, [signUp]);
  const act = (fields: FormData) => {
    const [email, password] = [textOf(fields, "email"), String(fields.get("password") ?? "")];
    return signUp ? session.signUp(email, password, textOf(fields, "name")) : session.signIn(email, password);
  };
  const title = signUp ? "Create an account" : "Sign in";
  return (
    <div ref={box}>
      <Form title={title} button={signUp ? "Create account" : "Sign in"} act={act}>
        {signUp && <NameField />}
        <Field label="E-mail" field={(id) => <input className="input" id={id} name="email" type="email" required autoComplete="email" />} />
        <Field
          label="Password"
          field={(id) => (
            <input
              className="input"
              id={id}
              name="password"
              type="password"
              required
              minLength={6}
              autoComplete={signUp ? "new-password" : "current-password"}
            />
          )}
        />
      </Form>
      <p className="small muted change">
        {signUp ? "You have an account? " : "No account yet? "}
        <button type="button" className="link" onClick={() => setSignUp(!signUp)}>
          {signUp ? "Sign in" : "Create one"}
        </button>
      </p>
    </div>
  );
}
