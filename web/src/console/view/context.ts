/** What every part of the console works with. */
import type { Value } from "relationindex-client";
import { useValue } from "relationindex-client/react";
import { createContext, useContext } from "react";
import type { Config } from "../../shared/config";
import type { Dev } from "../data/actions";
import type { Db } from "../data/connect";
import type { Names } from "../data/names";
import { useSelected } from "../data/selection";

const context = createContext<{ config: Config; db: Db; names: Names; dev: Value<Dev> } | undefined>(undefined);
export const Provider = context.Provider;

/** Returns all of it, and the selection. The component is drawn again when another name becomes known. */
export function useConsole() {
  const shared = useContext(context)!;
  useValue(shared.names.changes);
  return { ...shared, ...useSelected() };
}

export const useDev = (): Dev => useValue(useContext(context)!.dev);
