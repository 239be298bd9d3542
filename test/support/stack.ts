import { inject } from "vitest";
import { type Stack, type StackOptions, startStackOn } from "./stack-on";

export type { Stack } from "./stack-on";

type Options = StackOptions & {
  /** The URL of the PostgreSQL server. Default: the server of this run. */
  databaseServer?: string;
};

/** Starts a stack for one test file. */
export const startStack = ({ databaseServer = inject("databaseServer"), ...options }: Options = {}): Promise<Stack> =>
  startStackOn(databaseServer, options);
