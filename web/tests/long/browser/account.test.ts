import { doc, getDoc } from "firebase/firestore";
import { expect } from "vitest";

import { at, db, profile, register, write } from "../../firestore.ts";
import { findPerson, open, signIn, signUp, test, visit } from "../../browser/browser.ts";

/** Makes an account that has no profile. */
async function make(email: string): Promise<string> {
  const made = await fetch(`http://${at.authHost}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=demo`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email, password: "correct horse", returnSecureToken: true }),
  });
  expect(made.status).toBe(200);
  return ((await made.json()) as { localId: string }).localId;
}

test("an account whose sign-up was cut short is asked for its name at the next sign-in", async ({ browser }) => {
  const email = `nameless-${Date.now()}@example.com`;
  await make(email);
  const page = await open(browser);
  await signIn(page, email);
  await page.getByRole("heading", { name: "What shall people call you?" }).waitFor();
  await page.getByLabel("Name").fill("Named Late");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { level: 1, name: "Feed" }).waitFor();
  await page.reload(); // still signed in, and still named
  await visit(page, "Profile");
  await page.getByRole("heading", { level: 1, name: "Named Late" }).waitFor();
});

test("a wrong password and a taken address show a message, and the form keeps its input", async ({ browser }) => {
  const { email } = await signUp(browser, "Taken Already");
  const page = await open(browser);
  await signIn(page, email, "wrong horse");
  await page.getByText("This e-mail address and password do not go together.").waitFor();
  await page.getByRole("button", { name: "Create one" }).click();
  await page.getByLabel("Name").fill("Somebody Else");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByText("There is an account with this e-mail address. Sign in instead.").waitFor();
  await expect.poll(() => page.getByLabel("E-mail").inputValue()).toBe(email);
});

test("signing out leaves nothing of the account in the browser", async ({ browser }) => {
  const { page, name } = await signUp(browser, "Leaves Nothing");
  await visit(page, "Profile");
  await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "Sign out" }).click()]);
  await page.getByRole("button", { name: "Create one" }).waitFor();
  const cached = await page.evaluate(async () => {
    const found: string[] = [];
    for (const { name } of await indexedDB.databases()) {
      const db = await new Promise<IDBDatabase>((resolve, reject) => {
        const request = indexedDB.open(name!);
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
      for (const store of db.objectStoreNames) {
        const all = await new Promise<unknown[]>((resolve) => {
          const request = db.transaction(store).objectStore(store).getAll();
          request.onsuccess = () => resolve(request.result);
        });
        found.push(...all.map((value) => JSON.stringify(value)));
      }
      db.close();
    }
    return found;
  });
  expect(cached.filter((value) => value.includes(name))).toEqual([]);
});

test("dev's sign-in page signs in a seeded or a new account by one click", async ({ browser }) => {
  const email = `seeded-${Date.now()}@example.com`;
  await register(await make(email), "ada seeded");
  const page = await open(browser, "about:blank");
  await page.route("**/config.json", async (route) => {
    const config = await (await route.fetch()).json();
    config.dev.accounts = [
      { name: "ada", email, password: "correct horse" },
      { name: "bob", email: "nobody@example.com", password: "wrong" },
    ];
    await route.fulfill({ json: config });
  });
  await page.goto("/");
  await page.getByRole("button", { name: "Continue as bob" }).click();
  await page.getByRole("region", { name: "Accounts of this machine" }).getByRole("alert").getByText(/./).waitFor();
  await page.getByRole("button", { name: "Continue as ada" }).click();
  await page.getByRole("link", { name: "ada seeded" }).waitFor();

  const other = await open(browser);
  await other.getByRole("button", { name: "Create one" }).waitFor();
  await expect.poll(() => other.getByRole("button", { name: /^Continue as/ }).allTextContents()).toEqual(["Continue as a new person"]);
  await other.getByRole("button", { name: "Continue as a new person" }).click();
  await other.getByText("Your feed is empty").waitFor();

  const deployed = await open(browser, "about:blank");
  await deployed.route("**/config.json", async (route) => {
    const { dev: _, ...config } = await (await route.fetch()).json();
    await route.fulfill({ json: config });
  });
  await deployed.goto("/");
  await deployed.getByRole("button", { name: "Create one" }).waitFor();
  await expect.poll(() => deployed.getByRole("button", { name: /^Continue as/ }).count()).toBe(0);
  expect([...page.errors, ...other.errors, ...deployed.errors]).toEqual([]);
});

test("a profile edit reaches others, waits while offline, and returns to the form when rejected", async ({ browser }) => {
  const [me, other] = await Promise.all([signUp(browser, "Plain Name"), signUp(browser, "Curious Reader")]);
  const { page } = me;
  await write({ [`users/${me.uid}`]: { ...profile("Plain Name"), counts: { followers: 7 } } }); // the functions have fields there
  await visit(page, "Profile");
  const edit = async (name: string, about: string) => {
    await page.getByRole("button", { name: "Edit profile" }).click();
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByLabel("About you").fill(about);
    await page.getByRole("button", { name: "Save" }).click();
  };
  await edit("Zoë Ångström", "Bread and bridges.\nhttps://example.com");
  await page.getByText("Saved.", { exact: true }).waitFor();
  expect((await getDoc(doc(db, `users/${me.uid}`))).data()).toEqual({
    name: "Zoë Ångström",
    nameLower: "zoe angstrom",
    bio: "Bread and bridges.\nhttps://example.com",
    counts: { followers: 7 },
  });
  await findPerson(other, { name: "Zoë Ångström", uid: me.uid });
  await other.page.goto(`/#/u/${me.uid}`);
  await other.page.getByText("Bread and bridges.").waitFor();

  await page.context().setOffline(true);
  await edit("Zoë Ångström", "Written in a tunnel.");
  await page.getByRole("main").getByText("Written in a tunnel.").waitFor();
  await page.context().setOffline(false);
  await other.page.getByText("Written in a tunnel.").waitFor();

  await edit("\u00ad", "Not to be lost."); // a name that nobody can see: the rules refuse it
  await page.getByText("Not saved. This is not allowed.").first().waitFor();
  await page.getByRole("heading", { level: 1, name: "Zoë Ångström" }).waitFor();
  await expect.poll(() => page.getByLabel("About you").inputValue()).toBe("Not to be lost.");
  await page.getByLabel("Name", { exact: true }).fill("Zoë Å.");
  await page.getByRole("button", { name: "Save" }).click();
  await other.page.getByText("Not to be lost.").waitFor();
  await other.page.getByRole("heading", { level: 1, name: "Zoë Å." }).waitFor();
  expect([...page.errors, ...other.page.errors]).toEqual([]);
});
