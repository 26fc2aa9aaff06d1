import type { Config as ClientConfig } from "relationindex-client";

/**
 * Content of /config.json, the file beside the page that says which project the page uses.
 *
 * `relationindex dev` serves a config.json with `emulators` and `dev`. In production, you write the file, with `firebase`
 * (from the Firebase console; it holds no secret), `database`, `feedURL` if Feed is deployed,
 * `timelines`, `counts` and `notifications` if the functions keep them, `capacity` and `copied` if they are not the default, and
 * `pace` if the rules have one.
 */
export interface Config extends ClientConfig {
  /** Fields that only `relationindex dev` adds. */
  dev?: { followersBytes: number; collections: Collections; accounts?: SignIn[] };
}

/** A seeded account, which gets a sign-in button. */
export interface SignIn {
  name: string;
  email: string;
  password: string;
}

/** The configured names of the collections that may be renamed. */
export interface Collections {
  users: string;
  followers: string;
  posts: string;
}

/** Loads the configuration. If that fails, the error says what to do. */
export async function loadConfig(): Promise<Config> {
  const answer = await fetch("/config.json", { cache: "no-store" });
  if (!answer.ok) throw new Error(`/config.json: ${answer.status}. Run "relationindex dev", or put your project's config.json beside this page.`);
  return (await answer.json()) as Config;
}
