import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { REINDEX_COMMAND, reorgSentence } from "../../config/reindex";
import packageJson from "../../package.json" with { type: "json" };
import { exitAfterUnrecoverableReorg, PONDER_REORG_MESSAGE } from "../../workarounds/unrecoverable-reorg";

describe("a reorg beyond finality", () => {
  const logged = vi.fn();
  const shutDown = vi.fn(async () => {});
  const onReorg = vi.fn();
  const exit = vi.fn();

  beforeEach(() => {
    vi.useFakeTimers();
    vi.clearAllMocks();
    vi.spyOn(process, "exit").mockImplementation(exit as never);
    globalThis.PONDER_COMMON = { logger: { warn: logged }, shutdown: { kill: shutDown } };
    exitAfterUnrecoverableReorg(76, onReorg);
  });
  afterEach(() => {
    globalThis.PONDER_COMMON = undefined;
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it("has this message in the log of the installed version of Ponder", () => {
    const source = readFileSync("node_modules/ponder/dist/esm/sync-realtime/index.js", "utf8");
    expect(source).toContain(`msg: "${PONDER_REORG_MESSAGE}"`);
  });

  it("ends the process once, after Ponder's shutdown, and other warnings do not", async () => {
    const { warn } = globalThis.PONDER_COMMON?.logger ?? {};
    warn?.({ msg: "Received SIGTERM" });
    expect(onReorg).not.toHaveBeenCalled();
    const entry = { msg: "Encountered unrecoverable reorg" };
    warn?.(entry);
    warn?.(entry);
    expect(logged).toHaveBeenLastCalledWith(entry);
    expect(onReorg).toHaveBeenCalledTimes(1);
    expect(shutDown).toHaveBeenCalledTimes(1);
    expect(exit).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(0);
    expect(exit).toHaveBeenCalledWith(76);
  });

  it("ends the process within 5 s, also if the shutdown hangs", async () => {
    shutDown.mockReturnValueOnce(new Promise(() => {}));
    globalThis.PONDER_COMMON?.logger.warn({ msg: PONDER_REORG_MESSAGE });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(exit).toHaveBeenCalledWith(76);
  });

  it("is repaired by an existing command", () => {
    expect(reorgSentence("base-sepolia")).toContain(REINDEX_COMMAND);
    expect(Object.keys(packageJson.scripts)).toContain(REINDEX_COMMAND.replace("npm run ", ""));
  });

  it("is not repaired by that command on the chain of npm start, which ends too", () => {
    expect(reorgSentence("local")).not.toContain(REINDEX_COMMAND);
    expect(reorgSentence("local")).toContain("Run npm start again");
  });
});
