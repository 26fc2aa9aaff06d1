import { expect } from "vitest";

import { at, register } from "../../firestore.ts";
import { open, post, shown, signIn, signUp, test, visit } from "../../browser/browser.ts";

/** Makes an account that has no profile. */
async function make(email: string): Promise<string> {
  const body = JSON.stringify({ email, password: "correct horse", returnSecureToken: true });
  const url = `http://${at.authHost}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=demo`;
  const made = await fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  return ((await made.json()) as { localId: string }).localId;
}

test("a wrong password and a taken address keep the form's input; an account whose sign-up was cut short is asked for its name", async ({ browser }) => {
  const email = `nameless-${Date.now()}@example.com`;
  await make(email);
  const page = await open(browser);
  await signIn(page, email, "wrong horse");
  await page.getByText("This e-mail address and password do not go together.").waitFor();
  await page.getByRole("button", { name: "Create one" }).click();
  await page.getByLabel("Name").fill("Somebody Else");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByText("There is an account with this e-mail address. Sign in instead.").waitFor();
  await expect.poll(() => page.getByLabel("E-mail").inputValue()).toBe(email);
  await page.getByRole("button", { name: "Sign in" }).click();
  await signIn(page, email);
  await page.getByRole("heading", { name: "What shall people call you?" }).waitFor();
  await page.getByLabel("Name").fill("Named Late");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { level: 1, name: "Feed" }).waitFor();
  await page.reload(); // still signed in, and still named
  await visit(page, "Profile");
  await page.getByRole("heading", { level: 1, name: "Named Late" }).waitFor();
  expect(page.errors).toEqual([]);
});

test("signing out leaves nothing of the account on the device, in no tab, and the next account has its own", async ({ browser }) => {
  const [me, other] = await Promise.all([signUp(browser, "Leaves Nothing"), signUp(browser, "Comes Next")]);
  const { page } = me;
  await post(me, "Leaves a post.");
  await page.getByLabel("Write a post").fill("Leaves no draft.");
  const second = await page.context().newPage();
  await second.goto(`/#/u/${me.uid}`);
  await second.getByRole("heading", { level: 1, name: me.name }).waitFor();
  await page.goto("/#/settings");
  await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "Sign out" }).click()]);
  for (const tab of [page, second]) await tab.getByRole("button", { name: "Create one" }).waitFor();
  await second.close(); // it keeps the cache
  await page.reload();
  const kept = await page.evaluate(async () => {
    const found = Object.entries(localStorage).map(String);
    const done = <T>(request: IDBRequest<T>) => new Promise<T>((resolve) => (request.onsuccess = () => resolve(request.result)));
    for (const { name } of await indexedDB.databases()) {
      const db = await done(indexedDB.open(name!));
      for (const store of db.objectStoreNames) found.push(JSON.stringify(await done(db.transaction(store).objectStore(store).getAll())));
      db.close();
    }
    return found;
  });
  expect(kept.filter((value) => /Leaves/.test(value))).toEqual([]);
  await signIn(page, other.email);
  await visit(page, "Feed");
  await page.getByText("Your feed is empty").waitFor();
  expect(await page.getByLabel("Write a post").inputValue()).toBe("");
  expect(page.errors).toEqual([]);
});

test("dev's sign-in page signs in a seeded or a new account by one click", async ({ browser }) => {
  const email = `seeded-${Date.now()}@example.com`;
  await register(await make(email), "ada seeded");
  const accounts = [email, "nobody@example.com"].map((email, i) => ({ name: ["ada", "bob"][i], email, password: "correct horse" }));
  /** Opens the app with another `dev` in its config.json. */
  const openWith = async (change: (dev: object) => object | undefined) => {
    const page = await open(browser, "about:blank");
    const { dev, ...config } = await (await fetch(new URL("/config.json", at.webURL))).json();
    await page.route("**/config.json", (route) => route.fulfill({ json: { ...config, dev: change(dev) } }));
    await page.goto("/");
    await page.getByRole("button", { name: "Create one" }).waitFor();
    return page;
  };
  const page = await openWith((dev) => ({ ...dev, accounts }));
  await page.getByRole("button", { name: "Continue as bob" }).click();
  await page.getByRole("region", { name: "Accounts of this machine" }).getByRole("alert").getByText(/./).waitFor();
  await page.getByRole("button", { name: "Continue as ada" }).click();
  await page.getByRole("navigation", { name: "Main" }).getByText("ada seeded").waitFor();
  const other = await openWith((dev) => dev);
  const offered = other.getByRole("button", { name: /^Continue as/ });
  await expect.poll(() => offered.allTextContents()).toEqual(["Continue as a new person"]);
  await offered.click();
  await other.getByText("Your feed is empty").waitFor();
  const deployed = await openWith(() => undefined);
  expect(await deployed.getByRole("button", { name: /^Continue as/ }).count()).toBe(0);
  expect([...page.errors, ...other.errors, ...deployed.errors]).toEqual([]);
});

test("a rejected change of a profile is in the form again as it was typed, and the next one reaches others", async ({ browser }) => {
  const [{ page, uid }, other] = await Promise.all([signUp(browser, "Plain Name"), signUp(browser, "Curious Reader")]);
  await other.page.goto(`/#/u/${uid}`);
  await visit(page, "Profile");
  const save = async (name: string) => {
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByRole("button", { name: "Save" }).click();
  };
  await page.getByRole("button", { name: "Edit profile" }).click();
  await page.getByLabel("About you").fill("Not to be lost.");
  await save("\u00ad"); // nobody can see it: the rules refuse it
  await page.getByText("Not saved. This is not allowed.").first().waitFor();
  await page.getByRole("heading", { level: 1, name: "Plain Name" }).waitFor();
  await save("Zoë Å.");
  await shown(other.page).getByText("Not to be lost.").waitFor();
  await other.page.getByRole("heading", { level: 1, name: "Zoë Å." }).waitFor();
  expect([...page.errors, ...other.page.errors]).toEqual([]);
});
