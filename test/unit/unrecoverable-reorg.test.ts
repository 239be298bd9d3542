import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { REINDEX_COMMAND } from "../../config/reindex";
import packageJson from "../../package.json" with { type: "json" };
import {
  isUnrecoverableReorg,
  LOCAL_REORG_SENTENCE,
  PONDER_REORG_MESSAGE,
  REORG_EXIT_CODE,
  REORG_SENTENCE,
} from "../../stack/unrecoverable-reorg";

const line = (msg: string) => JSON.stringify({ level: 40, time: 1, msg, chain: "protocol", chain_id: 31337 });

describe("a line of Ponder's log", () => {
  it("has the message of the installed version for a reorg beyond finality", () => {
    const source = readFileSync("node_modules/ponder/dist/esm/sync-realtime/index.js", "utf8");
    expect(source).toContain(`msg: "${PONDER_REORG_MESSAGE}"`);
  });

  it("is recognised by its message alone", () => {
    expect(isUnrecoverableReorg(line("Encountered unrecoverable reorg"))).toBe(true);
    expect(isUnrecoverableReorg(line("Reconciled reorg in local chain"))).toBe(false);
    expect(isUnrecoverableReorg(JSON.stringify({ msg: "request", path: "/?q=Encountered unrecoverable reorg" }))).toBe(
      false,
    );
    expect(isUnrecoverableReorg("Encountered unrecoverable reorg")).toBe(false);
    expect(isUnrecoverableReorg("null")).toBe(false);
    expect(isUnrecoverableReorg("")).toBe(false);
  });

  it("results in an existing repair command and a non-zero exit code", () => {
    expect(REORG_SENTENCE).toContain(REINDEX_COMMAND);
    expect(Object.keys(packageJson.scripts)).toContain(REINDEX_COMMAND.replace("npm run ", ""));
    expect(REORG_EXIT_CODE).toBeGreaterThan(0);
  });

  it("is not repaired by that command on the chain of npm start, which ends too", () => {
    expect(LOCAL_REORG_SENTENCE).not.toContain(REINDEX_COMMAND);
    expect(LOCAL_REORG_SENTENCE).toContain("Run npm start again");
  });
});
