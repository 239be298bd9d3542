import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actor } from "../../stack/chain";
import { hashOf } from "../../stack/sample/people";
import { expectPublished, publishUntilGone } from "../faults/publishing";
import { differences } from "./agreement";
import { type Stack, startStack } from "./stack";

const agent = actor(1);

describe("stop and start again", () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack?.stop());

  /** Some events, and enough blocks for Ponder to hold a part of them final. */
  const act = async (name: string) => {
    await stack.write(agent, "AgentRegistry", "registerAgent", [name, "0x01", hashOf(name)]);
    await stack.write(agent, "AttestationRegistry", "submitAttestation", [
      hashOf("schema"),
      hashOf(name),
      hashOf("data"),
    ]);
    await stack.client.mine({ blocks: 12 });
  };

  it("resumes after SIGTERM without a duplicate and without what it missed, and leaves no lock", async () => {
    for (const name of ["one", "two", "three"]) await act(name);
    const before = await stack.allRows();
    expect(before.agent).toHaveLength(3);
    expect(await stack.stopIndexer()).toBe(0);
    await stack.startIndexer();
    expect(stack.log()).not.toContain("Schema is locked");
    expect(await stack.allRows()).toEqual(before);

    await stack.stopIndexer();
    await act("while it was away");
    await stack.startIndexer();
    expect(await stack.rows("agent")).toHaveLength(4);
    expect(await stack.rows("total")).toMatchObject([{ subject: "attestations_by_attester", count: 4 }]);
    expect(await differences(stack)).toEqual([]);
  });

  it("resumes after kill -9 too, and still has every document that it acknowledged", async () => {
    await act("before the kill");
    await stack.indexed();
    const published: string[] = [];
    const writing = ["one", "two", "three", "four"].map((writer) =>
      publishUntilGone(stack.apiUrl, writer, (text) => published.push(text)),
    );
    await expect.poll(() => published.length, { interval: 5 }).toBeGreaterThan(20);
    await stack.stopIndexer("SIGKILL");
    await Promise.all(writing);
    await act("after the kill");
    await stack.startIndexer();
    await expectPublished(stack.apiUrl, published);
    expect(await stack.rows("agent")).toHaveLength(6);
    expect(await differences(stack)).toEqual([]);
  });
});
