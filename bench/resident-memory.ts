import { execFileSync } from "node:child_process";
import type { SampleStack } from "./sample-stack";

const ofProcess = (pid: number) => Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)])) / 1024;

/** The resident memory of the indexer and the gateway, in MB. */
export const residentMb = ({ index }: Pick<SampleStack, "index">) => ({
  indexer: ofProcess(index.indexer.current().pid),
  gateway: ofProcess(index.gateways[0]?.current().pid ?? 0),
});
