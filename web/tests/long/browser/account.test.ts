import { expect } from "vitest";

import { at } from "../../firestore.ts";
import { open, signIn, signUp, test, visit } from "../../browser/browser.ts";

test("an account whose sign-up was cut short is asked for its name at the next sign-in", async ({ browser }) => {
  const email = `nameless-${Date.now()}@example.com`;
  const made = await fetch(`http://${at.authHost}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=demo`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email, password: "correct horse", returnSecureToken: true }),
  });
  expect(made.status).toBe(200);
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

test("a wrong password and a taken address are said in words, and what was typed stays", async ({ browser }) => {
  const { email } = await signUp(browser, "Taken Already");
  const page = await open(browser);
  await signIn(page, email, "wrong horse");
  await page.getByText("This e-mail address and password do not go together.").waitFor();
  await page.getByRole("button", { name: "Create one" }).click();
  await page.getByLabel("Name").fill("Somebody Else");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByText("There is an account with this e-mail address. Sign in instead.").waitFor();
  expect(await page.getByLabel("E-mail").inputValue()).toBe(email);
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
