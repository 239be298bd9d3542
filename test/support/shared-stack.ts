import { readFileSync } from "node:fs";
import pg from "pg";
import { inject, vi } from "vitest";
import { connect } from "../../stack/local/chain";
import { type Protocol, protocolOn } from "../../stack/local/protocol";
import { type IndexReader, readIndex } from "./index-of";
import { ask } from "./once-per-run";
import type { SharedStackContent, SharedStackName } from "./shared-stacks";

type Parts = Pick<IndexReader, "apiUrl" | "ponderUrl"> & {
  databaseUrl: string;
  /** The log of its indexer and gateway, including requests of other test files. */
  log: () => string;
};

/** The stack that test files only read, concurrently. So they must not send transactions. */
export type SampleStack = Omit<Protocol, "write"> & Parts;

/** The stack that test files write to, one file at a time. It has rows of the files before. */
export type WrittenStack = Protocol & Parts & IndexReader & { release: () => Promise<void> };

async function sharedStack(name: SharedStackName) {
  const content = await ask<SharedStackContent>(inject("sharedStacks")[name], 170_000);
  const { apiUrl, ponderUrl, databaseUrl, contracts, rpcUrl, logFile } = content;
  const log = () => readFileSync(logFile, "utf8");
  return { ...protocolOn(connect(rpcUrl), contracts), apiUrl, ponderUrl, databaseUrl, log };
}

/** The stack with the sample activity and the published examples. */
export async function sampleStack(): Promise<SampleStack> {
  const { write, ...stack } = await sharedStack("sample");
  return stack;
}

/**
 * A stack to write to. It has the sample activity and the published examples, too. It belongs to the test file until
 * `release`, which `afterAll` calls. The file must use accounts of its own, and not depend on rows of other files.
 */
async function exclusiveStack(name: SharedStackName): Promise<WrittenStack> {
  const stack = await sharedStack(name);
  // The lock ends with the connection, also if the process is killed.
  const lock = new pg.Client({ connectionString: stack.databaseUrl });
  await lock.connect();
  await lock.query("SELECT pg_advisory_lock(hashtext($1))", [name]);
  const reader = readIndex(stack.client, stack, (what, condition) =>
    vi.waitUntil(condition, { timeout: 60_000, interval: 50 }).catch((cause: unknown) => {
      throw new Error(`No ${what} within 60 s`, { cause });
    }),
  );
  return { ...stack, ...reader, release: () => lock.end() };
}

/** The stack for transactions and payments. */
export const writesStack = () => exclusiveStack("writes");

/** The stack for reorgs and for moving the chain's time, which may be days ahead already. */
export const timeStack = () => exclusiveStack("time");
