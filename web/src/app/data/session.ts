/** Who is signed in: with e-mail and password, and a name in users/{uid}. */
import { createUserWithEmailAndPassword, onAuthStateChanged, signInWithEmailAndPassword } from "firebase/auth";
import { type Account, changeAccount, type Client, forget, hasUnsent, nameFields, nameKey, Value, watchAccount } from "relationindex-client";
import { Drafts } from "./drafts";

export interface Me {
  uid: string;
  name: string;
}

/** What I say of myself. */
export interface Profile {
  name: string;
  bio: string;
}

export type SessionState =
  | { is: "starting" }
  | { is: "signed out" }
  /** An account without a profile: its sign-up was cut short. */
  | { is: "nameless"; uid: string }
  | { is: "signed in"; me: Me }
  | { is: "failed"; error: Error };

export class Session {
  readonly state = new Value<SessionState>({ is: "starting" });
  /** A change of my profile that was refused, as it was typed. */
  readonly refused = new Value<{ typed: Profile; error: unknown } | undefined>(undefined);
  /** Whether my account is private: undefined until it is known. */
  closed: boolean | undefined;
  private stopProfile = () => {};
  private signingUp = false;
  private leaving = false;
  private isFound = false;

  /** Costs, per start: one read of users/{uid}. Offline it answers from the cache, if this device has seen the profile. */
  constructor(private client: Client) {
    onAuthStateChanged(client.auth, (user) => {
      this.stopProfile();
      if (user && !this.signingUp) this.watchProfile(user.uid);
      if (!user && !this.leaving) this.state.set({ is: "signed out" });
    });
  }

  private watchProfile(uid: string): void {
    this.stopProfile = watchAccount(
      this.client.db,
      uid,
      (account, _, fromCache) => {
        this.closed = account?.closed;
        if (account?.name) this.state.set({ is: "signed in", me: { uid, name: account.name } });
        else if (!fromCache) this.state.set({ is: "nameless", uid });
        if (account?.name && !fromCache) void this.beFound(uid, account);
      },
      (error) => this.state.set({ is: "failed", error }),
    );
  }

  /** What another client, or an earlier release, has written may be in no list by name: one write, once. */
  private async beFound(uid: string, { name, nameLower }: Account): Promise<void> {
    if (this.isFound || nameLower === nameKey(name)) return;
    this.isFound = true;
    await changeAccount(this.client.db, uid, { nameLower: nameKey(name) }).catch(() => {}); // the next start tries again
  }

  /**
   * Makes an account and names it. Needs the network. A crash between the two leaves an account without a name; the
   * next sign-in finds it "nameless", and the page asks.
   */
  async signUp(email: string, password: string, name: string): Promise<void> {
    this.signingUp = true;
    try {
      const { user } = await createUserWithEmailAndPassword(this.client.auth, email, password);
      await this.giveName(user.uid, name);
    } finally {
      this.signingUp = false;
    }
  }

  /**
   * The first name of an account. The profile is not watched meanwhile: to a listener on a document that does not
   * exist, an emulator that is busy may confirm so as of a time at which it has just been written, and the SDK, which
   * has no reason to doubt it, then keeps to that.
   */
  async giveName(uid: string, name: string): Promise<void> {
    this.stopProfile();
    try {
      await this.setName(uid, name);
    } finally {
      this.watchProfile(uid);
    }
  }

  async signIn(email: string, password: string): Promise<void> {
    await signInWithEmailAndPassword(this.client.auth, email, password);
  }

  /**
   * One write; may be repeated. With merge: users/{uid} also holds fields of the functions, which a plain set would
   * drop, and the rules refuse that.
   */
  async setName(uid: string, name: string): Promise<void> {
    await changeAccount(this.client.db, uid, nameFields(name));
  }

  /**
   * One write, as setName; offline, when the network is back. If it is refused, `refused` has it: by then the page is another,
   * as it is whenever the name changes.
   */
  async saveProfile(uid: string, typed: Profile, now: Profile): Promise<void> {
    this.refused.set(undefined);
    try {
      // What stays is not written: another device may have changed it.
      await changeAccount(this.client.db, uid, { ...(typed.name !== now.name && nameFields(typed.name)), ...(typed.bio !== now.bio && { bio: typed.bio }) });
    } catch (error) {
      this.refused.set({ typed, error });
      throw error;
    }
  }

  /** Whether my token has the claim `moderator`, which the project's operator gives. A new claim counts from the next sign-in. */
  async isModerator(): Promise<boolean> {
    const token = await this.client.auth.currentUser?.getIdTokenResult().catch(() => null);
    return token?.claims["moderator"] === true;
  }

  /** Whether something that was written here has not reached the server: signing out would lose it. */
  async hasUnsent(): Promise<boolean> {
    return hasUnsent(this.client.db);
  }

  /**
   * Signs out and leaves nothing of this account on the device: drafts and the cache go too, with what is unsent. The page
   * has to be loaded again afterwards. Another tab that is open keeps the cache until it is closed.
   */
  async signOut(): Promise<void> {
    this.leaving = true;
    this.stopProfile();
    this.state.set({ is: "starting" }); // ends the listeners of the page, which would be refused from now on
    const { currentUser } = this.client.auth;
    if (currentUser) new Drafts(localStorage, currentUser.uid).forget();
    await forget(this.client);
  }
}
