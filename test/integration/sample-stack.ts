import { existsSync, readFileSync } from "node:fs";
import { inject, vi } from "vitest";
import { connect } from "../../stack/chain";
import { type Protocol, protocolOn } from "../../stack/protocol";
import type { Stack } from "./stack-on";

/** What the global setup writes about the shared stack. */
export type SampleStackFile =
  | (Pick<Stack, "apiUrl" | "ponderUrl" | "databaseUrl" | "contracts"> & { rpcUrl: string; logFile: string })
  | { error: string };

/** The shared stack. Other files read it at the same time, so that no transaction may be sent to its chain. */
export type SampleStack = Omit<Protocol, "write"> &
  Pick<Stack, "apiUrl" | "ponderUrl" | "databaseUrl"> & {
    /** What its indexer and gateway have logged, also about the requests of other files. */
    log: () => string;
  };

/** Waits for the stack with the sample activity and the published examples that the files of a run share. */
export async function sampleStack(): Promise<SampleStack> {
  const file = inject("sampleStackFile");
  await vi.waitUntil(() => existsSync(file), { timeout: 170_000, interval: 100 });
  const content = JSON.parse(readFileSync(file, "utf8")) as SampleStackFile;
  if ("error" in content) throw new Error(`The shared stack did not start: ${content.error}`);
  const { apiUrl, ponderUrl, databaseUrl, contracts, rpcUrl, logFile } = content;
  const { client, read } = protocolOn(connect(rpcUrl), contracts);
  return { client, contracts, read, apiUrl, ponderUrl, databaseUrl, log: () => readFileSync(logFile, "utf8") };
}
