import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keccak256, toHex } from "viem";
import { actor } from "../../dev/chain";
import { type Stack, startStack } from "./stack";

describe.each(["pglite", "postgres"] as const)("smoke on %s", (database) => {
  let stack: Stack;
  beforeAll(async () => { stack = await startStack({ database }); });
  afterAll(() => stack?.stop());
  it("indexes", async () => {
    await stack.write(actor(1), "AgentRegistry", "registerAgent", ["a", "0x12", keccak256(toHex("x"))]);
    await stack.write(actor(1), "CommerceRegistry", "registerMerchant", [actor(1).address, "a", keccak256(toHex("x"))]);
    expect(await stack.rows("agent")).toHaveLength(1);
    console.log(await stack.allRows());
    console.log(await stack.stopIndexer());
    const t = Date.now();
    await stack.startIndexer(); console.log("restart", Date.now() - t);
    expect(await stack.rows("agent")).toHaveLength(1);
  });
});
