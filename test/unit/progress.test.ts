import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { jsonLine, toJsonLine } from "../../stack/roles/json-lines";
import {
  durationText,
  type Progress,
  progressBar,
  progressText,
  sumOf,
  watchProgress,
} from "../../stack/supervision/progress";
import { createStepLog, timed } from "../../stack/supervision/step-log";
import { createTerminal } from "../../stack/supervision/terminal";

const progress = (changes: Partial<Progress> = {}): Progress => ({
  ready: false,
  block_number: "1234",
  chain_block_number: "2900",
  progress: 0.42,
  eta_seconds: 200,
  events: 1_000,
  ...changes,
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the progress of a backfill", () => {
  it("is one line with the share, the blocks, the speed and the time left", () => {
    expect(progressText(progress(), 5_300.4)).toBe("42.0 %, block 1,234 of 2,900, 5,300 events/s, 3 min 20 s left");
    const unknown = progress({ block_number: null, chain_block_number: null, eta_seconds: null, progress: 0 });
    expect(progressText(unknown, undefined)).toBe("0.0 %");
  });

  it.each([
    [0, "0 s"],
    [59.6, "1 min"],
    [3_725, "1 h 2 min"],
    [200_000, "2 d 7 h"],
  ])("has a duration of %d s in two units", (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });

  it("is a bar on a terminal", () => {
    expect(progressBar(0)).toBe("[------------------------]");
    expect(progressBar(0.5)).toBe("[############------------]");
    expect(progressBar(1.2)).toBe("[########################]");
  });

  it("sums a counter of Ponder's metrics over its labels", () => {
    const metrics = [
      "# HELP ponder_indexing_completed_events Number of events",
      'ponder_indexing_completed_events{event="A:B"} 2',
      'ponder_indexing_completed_events{event="A:C"} 3',
      "ponder_indexing_completed_events_other 7",
    ].join("\n");
    expect(sumOf(metrics, "ponder_indexing_completed_events")).toBe(5);
    expect(sumOf(metrics, "ponder_missing")).toBe(0);
  });

  it("is reported with its speed until the service is ready, also while it does not answer", async () => {
    const states = [progress(), undefined, progress({ events: 4_000 }), progress({ ready: true })];
    const reported: (number | undefined)[] = [];
    let isReady = false;
    watchProgress({
      read: async () => states.shift(),
      intervalMs: 1_000,
      onProgress: (_, eventsPerSecond) => reported.push(eventsPerSecond),
      onReady: () => {
        isReady = true;
      },
    });
    await vi.advanceTimersByTimeAsync(3_500);
    expect(reported).toEqual([undefined, 1_500]);
    expect(isReady).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(isReady).toBe(true);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(reported).toHaveLength(2);
  });

  it("is not reported after it was stopped", async () => {
    const onProgress = vi.fn();
    const stop = watchProgress({ read: async () => progress(), intervalMs: 1_000, onProgress, onReady: () => {} });
    await vi.advanceTimersByTimeAsync(1_500);
    stop();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(onProgress).toHaveBeenCalledOnce();
  });
});

describe("the log of a start", () => {
  it("has a line at least every 3 s while a step runs", async () => {
    const lines: string[] = [];
    const log = createStepLog(timed((line) => lines.push(line)));
    log.step("Starting PostgreSQL");
    await vi.advanceTimersByTimeAsync(4_000);
    log.step("Starting the indexer");
    await vi.advanceTimersByTimeAsync(2_000);
    log.detail("42.0 %");
    await vi.advanceTimersByTimeAsync(4_500);
    log.done("The index has caught up");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(lines).toEqual([
      "[  0.0 s] Starting PostgreSQL",
      "[  2.5 s] Starting PostgreSQL: still running",
      "[  4.0 s] Starting the indexer",
      "[  6.5 s] Starting the indexer: 42.0 %",
      "[  9.0 s] Starting the indexer: 42.0 %",
      "[ 10.5 s] The index has caught up",
    ]);
  });

  it("is silent after the last step has ended", async () => {
    const lines: string[] = [];
    const log = createStepLog(timed((line) => lines.push(line)));
    log.step("Sample activity");
    log.end();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(lines).toHaveLength(1);
  });
});

describe("a line of the log", () => {
  const parsed = { time: Date.now(), pid: process.pid, msg: "Warning: one\n" };

  it("is JSON, also if a process prints text", () => {
    vi.setSystemTime(parsed.time);
    expect(JSON.parse(jsonLine("error", parsed.msg))).toEqual({ level: 50, ...parsed });
    expect(JSON.parse(toJsonLine(parsed.msg))).toEqual({ level: 40, ...parsed });
    expect(toJsonLine('{"level":30}')).toBe('{"level":30}');
  });
});

describe("a terminal", () => {
  const written = (isTTY: boolean, columns = 20) => {
    const texts: string[] = [];
    return { texts, terminal: createTerminal({ isTTY, columns, write: (text) => texts.push(text) }) };
  };

  it("keeps the status below the other lines, on one line", () => {
    const { texts, terminal } = written(true);
    terminal.print("one");
    terminal.setStatus("[##--] 50 % of a long line");
    terminal.print("two");
    terminal.setStatus("");
    terminal.print("three");
    expect(texts).toEqual(["one\n", "[##--] 50 % of a lo", "\r\x1b[Ktwo\n[##--] 50 % of a lo", "\r\x1b[K", "three\n"]);
  });

  it("has no status if it is a file or a pipe", () => {
    const { texts, terminal } = written(false);
    terminal.setStatus("50 %");
    terminal.print("one");
    expect(texts).toEqual(["one\n"]);
  });
});
