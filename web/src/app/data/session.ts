/** Session of the signed-in user, who has an e-mail address, a password, and a name in users/{uid}. */
import { createUserWithEmailAndPassword, signInWithEmailAndPassword } from "firebase/auth";
import { type Account, changeProfile, type Client, hasUnsent, type Me, nameKey, signOutAndForget, Value, watchAccount } from "relationindex-client";
import { Drafts } from "./drafts";

/** The fields of the user's own profile that a form changes. */
export interface Profile {
  name: string;
  bio: string;
}

export class Session {
  /**
   * Whether an account is being made: the page of sign-up stays until it has its name. A busy emulator may report to a listener that
   * the profile is missing, as of a time at which it has just been written, and the SDK then keeps it as missing.
   */
  readonly signingUp = new Value(false);
  /** The account without a name: a page asks for it, and nothing watches the profile meanwhile. "": none. */
  readonly nameless = new Value("");
  /** Whether the user has signed in on this page: the keyboard then goes on at the heading. */
  entered = false;
  /** Whether the user is leaving: the page ends its listeners, which the server would reject from now on. */
  readonly leaving = new Value(false);
  /** The last change of the profile that the server rejected: as it was typed, and the profile before it. */
  readonly refused = new Value<{ typed: Profile; now: Profile; error: unknown } | undefined>(undefined);
  private isFound = false;

  constructor(private client: Client) {}

  /**
   * Creates an account and names it. Needs the network. A crash between the two leaves an account without a name: the page then asks
   * for the name.
   */
  async signUp(email: string, password: string, name: string): Promise<void> {
    this.entered = true;
    this.signingUp.set(true);
    try {
      const { user } = await createUserWithEmailAndPassword(this.client.auth, email, password);
      await changeProfile(this.client.as(user), { name });
    } finally {
      this.signingUp.set(false);
    }
  }

  /** Names the account that is signed in. */
  async giveName(me: Me, name: string): Promise<void> {
    this.entered = true;
    await changeProfile(me, { name });
    this.nameless.set("");
  }

  async signIn(email: string, password: string): Promise<void> {
    this.entered = true;
    await signInWithEmailAndPassword(this.client.auth, email, password);
  }

  /** Corrects nameLower: lists by name may lack a profile that another client or an earlier release wrote. One read and one write, once. */
  beFound(me: Me, { name, nameLower }: Account): void {
    if (this.isFound || nameLower === nameKey(name)) return;
    this.isFound = true;
    const stop = watchAccount(me, me.id, (account, fromCache) => {
      if (fromCache || !account) return; // the cache may have an old name
      stop();
      const key = nameKey(account.name);
      if (account.nameLower !== key) changeProfile(me, { fields: { nameLower: key } }).catch(() => {}); // the next start tries again
    });
  }

  /**
   * Costs one write. Offline, it is sent when the network is back. `refused` has a change that the server rejects: by then another
   * page may be shown.
   */
  async saveProfile(me: Me, typed: Profile, now: Profile): Promise<void> {
    this.refused.set(undefined);
    try {
      // An unchanged field is not written: another device may have changed it.
      await changeProfile(me, { ...(typed.name !== now.name && { name: typed.name }), ...(typed.bio !== now.bio && { bio: typed.bio }) });
    } catch (error) {
      this.refused.set({ typed, now, error });
      throw error;
    }
  }

  /** Whether the user's token has the claim `moderator`, which the operator sets. A new claim takes effect at the next sign-in. */
  async isModerator(): Promise<boolean> {
    const token = await this.client.auth.currentUser?.getIdTokenResult().catch(() => null);
    return token?.claims["moderator"] === true;
  }

  /** Whether a write of this device has not reached the server: signing out would lose it. */
  hasUnsent = (): Promise<boolean> => hasUnsent(this.client);

  /**
   * Signs out and removes everything of the account from the device: drafts, the cache, and unsent writes. Reload the page
   * afterwards. Another open tab keeps the cache until that tab is closed.
   */
  async signOut(): Promise<void> {
    this.leaving.set(true);
    const { currentUser } = this.client.auth;
    if (currentUser) new Drafts(localStorage, currentUser.uid).forget();
    await signOutAndForget(this.client);
  }
}
