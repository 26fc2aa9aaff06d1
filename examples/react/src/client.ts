// The client that all parts of the page share.
import { type Config, connect, type Fields } from "relationindex-client";

const site = "http://127.0.0.1:4000"; // relationindex dev; in production, the site with your config.json
const answer = await fetch(`${site}/config.json`).catch(() => document.body.append("No answer: is dev running?"));

/** The app's own field of a post: the address of a picture. */
export interface Photo {
  photo: string;
}
const photo = ({ photo }: Fields): Photo => ({ photo: typeof photo === "string" && photo.startsWith("https://") ? photo : "" });

export const client = connect({ ...((await (answer as Response).json()) as Config), post: photo });

await client.auth.authStateReady();
