/**
 * Drafts: typed text that is not sent yet. A draft stays on this device when the page or the tab is closed. It is removed when it
 * is sent or emptied, or when its account signs out.
 */

/** The choice of who gets a post. */
export interface Readers {
  audience: string;
  /** The name of the audience, if the audience is a group. */
  name: string;
  to: { id: string; name: string }[];
}

export interface Draft {
  text: string;
  /** The kind of a post; a comment has none. */
  kind?: string;
  readers?: Readers;
}

/** The most drafts of an account on a device. One more removes the draft that was changed longest ago. */
const most = 20;

/**
 * The most characters of a draft. Longer text is not stored: the draft stays as it was. Twenty drafts have 2 MB, and a browser
 * stores 5 MB of an origin.
 */
const longest = 50_000;

type Stored = Draft & { at: number };

/**
 * Drafts of an account, each stored under its place: a page, a post's comments, an edit. Tabs share the drafts: the text that is
 * typed last is kept.
 */
export class Drafts {
  private prefix: string;

  constructor(
    private storage: Storage,
    uid: string,
    private now: () => number = Date.now,
  ) {
    this.prefix = `draft/${uid}/`;
  }

  get(place: string): Draft | undefined {
    return this.read(this.prefix + place);
  }

  /** Stores a draft. A draft without text is removed. If the storage is full or forbidden, the stored draft stays as it was. */
  keep(place: string, draft: Draft): void {
    const key = this.prefix + place;
    if (draft.text === "") return this.storage.removeItem(key);
    const { at, ...before } = this.read(key) ?? { at: 0 };
    if (draft.text.length > longest || JSON.stringify(before) === JSON.stringify(draft)) return;
    if (at === 0) this.makeRoom();
    try {
      this.storage.setItem(key, JSON.stringify({ ...draft, at: this.now() }));
    } catch {
      // the text is still in its field
    }
  }

  forget(): void {
    for (const key of this.keys()) this.storage.removeItem(key);
  }

  private makeRoom(): void {
    const ages = this.keys()
      .map((key) => ({ key, at: this.read(key)?.at ?? 0 }))
      .sort((a, b) => b.at - a.at);
    for (const { key } of ages.slice(most - 1)) this.storage.removeItem(key);
  }

  private keys(): string[] {
    return Array.from({ length: this.storage.length }, (_, i) => this.storage.key(i) ?? "").filter((key) => key.startsWith(this.prefix));
  }

  private read(key: string): Stored | undefined {
    try {
      const data: unknown = JSON.parse(this.storage.getItem(key) ?? "null");
      return isStored(data) ? data : undefined;
    } catch {
      return undefined;
    }
  }
}

type Fields = Record<string, unknown>;

const isMap = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const areTexts = (...values: unknown[]) => values.every((value) => typeof value === "string");

/** Reports whether a stored value is a draft. Another release of the app may have written the value. */
function isStored(data: unknown): data is Stored {
  if (!isMap(data) || !areTexts(data["text"], data["kind"] ?? "") || typeof data["at"] !== "number") return false;
  const readers = data["readers"];
  if (readers === undefined) return true;
  return (
    isMap(readers) &&
    areTexts(readers["audience"], readers["name"]) &&
    Array.isArray(readers["to"]) &&
    readers["to"].every((one: unknown) => isMap(one) && areTexts(one["id"], one["name"]))
  );
}
