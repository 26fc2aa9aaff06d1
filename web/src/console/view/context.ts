/** What every part of the console works with. */
import type { Value } from "relationindex-client";
import { useValue } from "relationindex-client/react";
import { createContext, useContext } from "react";
import type { Config } from "../../shared/config";
import type { Dev } from "../data/actions";
import type { Db } from "../data/connect";
import type { Names } from "../data/names";

export interface Shared {
  config: Config;
  db: Db;
  names: Names;
  dev: Value<Dev>;
}

const context = createContext<Shared | undefined>(undefined);
export const Provider = context.Provider;

const useShared = (): Shared => useContext(context)!;
export const useConfig = (): Config => useShared().config;
export const useDb = (): Db => useShared().db;
export const useDev = (): Dev => useValue(useShared().dev);

/** The names. The component is drawn again when another name becomes known. */
export function useNames(): Names {
  const { names } = useShared();
  useValue(names.changes);
  return names;
}
