import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Turns } from "../../api/events/turns";

const { signal } = new AbortController();

describe("turns", () => {
  it("are immediate if no other task waits", async () => {
    const turns = new Turns();
    let isTaken = false;
    void turns.take(signal).then(() => {
      isTaken = true;
    });
    await Promise.resolve();
    expect(isTaken).toBe(true);
  });

  it("are taken one per turn of the event loop, so that other work runs in between", async () => {
    const turns = new Turns();
    const order: string[] = [];
    const tasks = ["first", "second", "third"].map(async (name) => {
      await turns.take(signal);
      order.push(name);
    });
    for (let turn = 1; turn < 3; turn++) {
      await setImmediate();
      order.push(`other work ${turn}`);
    }
    await Promise.all(tasks);
    expect(order.slice(0, 2)).toEqual(["first", "second"]);
    expect(order.indexOf("other work 1")).toBeLessThan(order.indexOf("third"));
  });

  it("are not waited for once the signal aborts, and go to the next task", async () => {
    const turns = new Turns();
    const ended = new AbortController();
    const order: string[] = [];
    await turns.take(signal);
    const waiting = turns.take(ended.signal).then(() => order.push("aborted"));
    const next = turns.take(signal).then(() => order.push("next"));
    ended.abort();
    await Promise.all([waiting, next]);
    expect(order).toEqual(["aborted", "next"]);
    await turns.take(ended.signal);
  });

  it("are served to a thousand tasks, in their order", async () => {
    const turns = new Turns();
    const order: number[] = [];
    const numbers = Array.from({ length: 1_000 }, (_, number) => number);
    await Promise.all(numbers.map((number) => turns.take(new AbortController().signal).then(() => order.push(number))));
    expect(order).toEqual(numbers);
  });
});
