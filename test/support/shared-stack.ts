import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { inject, vi } from "vitest";
import { connect } from "../../stack/chain";
import { type Protocol, protocolOn } from "../../stack/protocol";
import type { Stack } from "./stack-on";

/** The file that the global setup writes about the shared stack. */
export type SampleStackFile =
  | (Pick<Stack, "apiUrl" | "ponderUrl" | "databaseUrl" | "contracts"> & { rpcUrl: string; logFile: string })
  | { error: string };

/** The shared stack. Other test files read it concurrently, so tests must not send transactions. */
export type SampleStack = Omit<Protocol, "write"> &
  Pick<Stack, "apiUrl" | "ponderUrl" | "databaseUrl"> & {
    /** The log of its indexer and gateway, including requests of other test files. */
    log: () => string;
  };

/** Asks for the shared stack, and waits for it. It has the sample activity and the published examples. */
export async function sampleStack(): Promise<SampleStack> {
  const file = inject("sampleStackFile");
  writeFileSync(inject("sampleStackRequest"), "");
  await vi.waitUntil(() => existsSync(file), { timeout: 170_000, interval: 100 });
  const content = JSON.parse(readFileSync(file, "utf8")) as SampleStackFile;
  if ("error" in content) throw new Error(`The shared stack did not start: ${content.error}`);
  const { apiUrl, ponderUrl, databaseUrl, contracts, rpcUrl, logFile } = content;
  const { client, read } = protocolOn(connect(rpcUrl), contracts);
  return { client, contracts, read, apiUrl, ponderUrl, databaseUrl, log: () => readFileSync(logFile, "utf8") };
}
