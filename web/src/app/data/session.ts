/** Session of the signed-in user, who has an e-mail address, a password, and a name in users/{uid}. */
import { createUserWithEmailAndPassword, onAuthStateChanged, signInWithEmailAndPassword } from "firebase/auth";
import {
  type Account,
  changeProfile,
  type Client,
  type Fields,
  hasUnsent,
  type Me,
  nameKey,
  signOutAndForget,
  Value,
  watchAccount,
} from "relationindex-client";
import { Drafts } from "./drafts";

/** The fields of the user's own profile that a form changes. */
export interface Profile {
  name: string;
  bio: string;
}

export type SessionState =
  | { is: "starting" }
  | { is: "signed out" }
  /** An account without a profile: its sign-up was cut short. */
  | { is: "nameless"; uid: string }
  | { is: "signed in"; uid: string; name: string }
  | { is: "failed"; error: Error };

export class Session {
  readonly state = new Value<SessionState>({ is: "starting" });
  /** The last change of the user's profile that the server rejected: as it was typed, and the profile before it. */
  readonly refused = new Value<{ typed: Profile; now: Profile; error: unknown } | undefined>(undefined);
  /** The user; undefined while nobody is signed in. */
  me: Me<Fields, Fields> | undefined;
  /** The user's account as it was read last; undefined until it is known. */
  account: Account | undefined;
  private stopProfile = () => {};
  private signingUp = false;
  private leaving = false;
  private isFound = false;

  /** Costs one read of users/{uid} per start. Offline, the profile comes from the cache, if this device has read it before. */
  constructor(private client: Client<Fields, Fields>) {
    onAuthStateChanged(client.auth, (user) => {
      this.stopProfile();
      this.me = user ? client.as(user) : undefined;
      if (this.me && !this.signingUp) this.watchProfile(this.me);
      if (!user && !this.leaving) this.state.set({ is: "signed out" });
    });
  }

  private watchProfile(me: Me<Fields, Fields>): void {
    const uid = me.id;
    this.stopProfile = watchAccount(
      me,
      uid,
      (account, fromCache) => {
        this.account = account ?? undefined;
        if (account?.name) this.state.set({ is: "signed in", uid, name: account.name });
        else if (!fromCache) this.state.set({ is: "nameless", uid });
        if (account?.name && !fromCache) void this.beFound(me, account);
      },
      (error) => this.state.set({ is: "failed", error }),
    );
  }

  /**
   * Corrects nameLower: lists by name may lack a profile that another client or an earlier release wrote. Costs one write, once.
   */
  private async beFound(me: Me, { name, nameLower }: Account): Promise<void> {
    if (this.isFound || nameLower === nameKey(name)) return;
    this.isFound = true;
    await changeProfile(me, { fields: { nameLower: nameKey(name) } }).catch(() => {}); // the next start tries again
  }

  /**
   * Creates an account and names it. Needs the network. A crash between the two leaves an account without a name. At the
   * next sign-in the state is "nameless", and the page asks for the name.
   */
  async signUp(email: string, password: string, name: string): Promise<void> {
    this.signingUp = true;
    try {
      const { user } = await createUserWithEmailAndPassword(this.client.auth, email, password);
      await this.nameAccount(this.client.as(user), name);
    } finally {
      this.signingUp = false;
    }
  }

  /**
   * Writes the first name of an account. The profile is not watched meanwhile: a busy emulator may report to a listener that the
   * document is missing, as of a time at which the document has just been written. The SDK then keeps the document as missing.
   */
  private async nameAccount(me: Me<Fields, Fields>, name: string): Promise<void> {
    this.stopProfile();
    try {
      await changeProfile(me, { name });
    } finally {
      this.watchProfile(me);
    }
  }

  /** Names the account that is signed in. */
  async giveName(name: string): Promise<void> {
    if (this.me) await this.nameAccount(this.me, name);
  }

  async signIn(email: string, password: string): Promise<void> {
    await signInWithEmailAndPassword(this.client.auth, email, password);
  }

  /**
   * Costs one write. Offline, the write is sent when the network is back. If the server rejects the change,
   * `refused` holds it: by then another view may be shown, because a changed name rebuilds the page.
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

  /**
   * Reports whether the user's token has the claim `moderator`, which the project's operator sets. A new claim takes effect at
   * the next sign-in.
   */
  async isModerator(): Promise<boolean> {
    const token = await this.client.auth.currentUser?.getIdTokenResult().catch(() => null);
    return token?.claims["moderator"] === true;
  }

  /** Reports whether a write of this device has not reached the server: signing out would lose it. */
  async hasUnsent(): Promise<boolean> {
    return hasUnsent(this.client);
  }

  /**
   * Signs out and removes everything of the account from the device: drafts, the cache, and unsent writes. Reload the page
   * afterwards. Another open tab keeps the cache until that tab is closed.
   */
  async signOut(): Promise<void> {
    this.leaving = true;
    this.stopProfile();
    this.state.set({ is: "starting" }); // ends the listeners of the page, which the server would reject from now on
    const { currentUser } = this.client.auth;
    if (currentUser) new Drafts(localStorage, currentUser.uid).forget();
    await signOutAndForget(this.client);
  }
}
