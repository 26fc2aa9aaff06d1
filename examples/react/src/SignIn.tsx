import { createUserWithEmailAndPassword, signInWithEmailAndPassword } from "firebase/auth";
import type { FormEvent } from "react";
import { changeProfile } from "relationindex-client";

import { Problem, useAttempt } from "./attempt";
import { client } from "./client";

export function SignIn() {
  const { problem, attempt } = useAttempt();
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const isNew = ((event.nativeEvent as SubmitEvent).submitter as HTMLButtonElement).value === "new";
    const typed = new FormData(event.currentTarget);
    const [name, email, password] = ["name", "email", "password"].map((field) => String(typed.get(field))) as [string, string, string];
    attempt(async () => {
      const { user } = await (isNew ? createUserWithEmailAndPassword : signInWithEmailAndPassword)(client.auth, email, password);
      if (isNew) await changeProfile(client.as(user), { name }); // nobody acts without a name
    });
  };
  return (
    <form onSubmit={send}>
      <p>
        <label>
          Name <input name="name" autoComplete="name" maxLength={100} required />
        </label>
      </p>
      <p>
        <label>
          E-mail <input name="email" type="email" autoComplete="email" required />
        </label>
      </p>
      <p>
        <label>
          Password <input name="password" type="password" autoComplete="current-password" minLength={6} required />
        </label>
      </p>
      <button formNoValidate>Sign in</button> <button value="new">Create account</button>
      <Problem error={problem} />
    </form>
  );
}
