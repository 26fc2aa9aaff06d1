import type { Config as ClientConfig, Timelines } from "relationindex-client";

/**
 * Where the page finds its project: /config.json, beside the page.
 *
 * `relationindex dev` serves one with `emulators` and `dev`. In production it is a file of yours with `firebase`
 * (from the Firebase console; it holds no secret), `database`, `feedURL` if Feed is deployed,
 * `timelines`, `counts` and `notifications` if the functions keep them, and `pace` if the rules have one.
 */
export interface Config extends ClientConfig {
  /** What `relationindex dev` adds. It says of timelines here what other projects say above. */
  dev?: { capacity: number; followersBytes: number; collections: Collections; timelines?: Timelines; accounts?: SignIn[] };
}

/** An account of the seed, for a button. */
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

/** Loads the configuration. The error says what to do. */
export async function loadConfig(): Promise<Config> {
  const answer = await fetch("/config.json", { cache: "no-store" });
  if (!answer.ok) throw new Error(`/config.json: ${answer.status}. Run "relationindex dev", or put your project's config.json beside this page.`);
  const config = (await answer.json()) as Config;
  const timelines = config.timelines ?? config.dev?.timelines;
  return { ...config, ...(timelines && { timelines }) };
}
