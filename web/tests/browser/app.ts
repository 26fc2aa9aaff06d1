// What people do in the app, for tests that are about something else.
import type { Addresses } from "../system.ts";
import { type Person, visit } from "./browser.ts";

/** site is the app's address, without a slash at its end. */
export function site(at: Addresses): string {
  if (!at.webURL || !at.authHost) throw new Error("relationindex dev serves no app to sign in to: run npm ci in web/, and make web");
  return at.webURL;
}

/** findPerson looks for somebody by name, as one does. */
export async function findPerson(who: Person, whom: { name: string; uid: string }): Promise<void> {
  await visit(who.page, "People");
  await who.page.getByLabel("Search by name").fill(whom.name.toLowerCase());
  await who.page.getByRole("list", { name: "Everyone" }).locator(`a[href="#/u/${whom.uid}"]`).waitFor();
  await who.page.waitForFunction((name) => [...document.querySelectorAll("main .person .name")].every((n) => n.textContent === name), whom.name);
}

/** post writes a post and waits until the server has it. */
export async function post(who: Person, text: string): Promise<void> {
  await who.page.getByLabel("Write a post").fill(text);
  await who.page.getByRole("button", { name: "Post", exact: true }).click();
  await who.page.getByRole("article").filter({ hasText: text.slice(0, 40) }).locator("time").first().waitFor();
}
