import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { Stalled, watchStall } from "../../bench/stall";

const times = { quietMs: 100, intervalMs: 5 };

describe("a benchmark that waits", () => {
  it("ends with a sentence when there is no progress", async () => {
    const { stalled } = watchStall({ what: "the history of ceiling", read: async () => "block 25", ...times });
    await expect(stalled).rejects.toThrow(new Stalled("the history of ceiling", 100, "block 25"));
    await expect(stalled).rejects.toThrow(
      "Waited for the history of ceiling, but there was no progress for 0.1 s. Last state: block 25. Is the machine busy?",
    );
  });

  it("ends when there is no response at all", async () => {
    const read = async () => {
      throw new Error("no connection");
    };
    const { stalled } = watchStall({ what: "the history of ceiling", read, ...times });
    await expect(stalled).rejects.toThrow("Last state: no response.");
  });

  it("ends its process with a sentence and an exit code when a suspended process never answers", () => {
    const watch = '{ what: "the history of ceiling", read: () => new Promise(() => {}), quietMs: 100 }';
    const script = `import { watchStall } from "./bench/stall.ts"; await watchStall(${watch}).stalled;`;
    const { status, stderr } = spawnSync(
      process.execPath,
      ["--import", "tsx", "--input-type=module", "--eval", script],
      { encoding: "utf8" },
    );
    expect(stderr).toContain("Waited for the history of ceiling, but there was no progress for 0.1 s.");
    expect(status).toBe(1);
  });

  it("waits as long as there is progress", async () => {
    let reads = 0;
    const read = async () => String(Math.min(++reads, 60));
    const { stalled } = watchStall({ what: "the history", read, ...times });
    await expect(stalled).rejects.toThrow("Last state: 60.");
  });

  it("does nothing more once it is stopped", async () => {
    let isRejected = false;
    const { stalled, stop } = watchStall({ what: "the history", read: async () => "1", quietMs: 20, intervalMs: 5 });
    stalled.catch(() => {
      isRejected = true;
    });
    stop();
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(isRejected).toBe(false);
  });
});
