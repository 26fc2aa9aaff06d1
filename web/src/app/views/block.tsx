/** Blocks and unblocks: entries of menus, and a button. The owner of a block is the user, or one of the user's groups. */
import { Ban } from "lucide-react";
import { block, isBlocked, isGroup, type Me, unblock } from "relationindex-client";
import { type ReactElement, useEffect, useState } from "react";
import { Entry } from "../../shared/menu";
import { confirm, run } from "../../shared/say";
import { useMine } from "../context";

/** Asks, and blocks. turned is called with the new state at once, and with the old one if the server rejects the change. */
export async function askToBlock(me: Me, id: string, name: string, owner: string, turned: (blocked: boolean) => void = () => {}): Promise<void> {
  if (!(await confirm(`Block ${name}? They cannot ${isGroup(owner) ? "join" : "follow you"}.`, "Block"))) return;
  run(turning(true, block(me, { id, group: owner }), turned), `${name} is blocked.`);
}

export const endBlock = (me: Me, id: string, name: string, owner: string, turned: (blocked: boolean) => void = () => {}): void =>
  run(turning(false, unblock(me, { id, group: owner }), turned), `${name} may ${isGroup(owner) ? "join" : "follow you"} again.`);

async function turning(next: boolean, written: Promise<void>, turned: (blocked: boolean) => void): Promise<void> {
  turned(next);
  await written.catch((error: unknown) => {
    turned(!next);
    throw error;
  });
}

/** Block or Unblock, with the user as the owner. Costs one read when the menu opens. */
export function BlockEntry({ id, name }: { id: string; name: string }): ReactElement {
  const me = useMine();
  const [blocked, setBlocked] = useState<boolean>();
  useEffect(() => void isBlocked(me, id).then(setBlocked, () => {}), [me, id]); // offline, and not in this device's cache
  const act = () => (blocked ? endBlock(me, id, name, me.id) : void askToBlock(me, id, name, me.id));
  return (
    <Entry icon={<Ban size={18} />} bad={!blocked} disabled={blocked === undefined} act={act}>
      {blocked ? "Unblock" : "Block"}
    </Entry>
  );
}
