// The client that all parts of the page share.
import { connect, Names, type Config } from "relationindex-client";

const site = "http://127.0.0.1:4000"; // relationindex dev; in production, the site with your config.json
const answer = await fetch(`${site}/config.json`).catch(() => document.body.append("No answer: is dev running?"));

export const client = connect((await (answer as Response).json()) as Config);
export const names = new Names(client.db);
/** ms from one look for news to the next: each costs a read, while the page is visible. */
export const every = client.config.emulators ? 2_000 : 30_000;

await client.auth.authStateReady();
