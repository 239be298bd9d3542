import { parseUnits } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signIntent } from "../../client/src/intents";
import { anyExecution, type SignableIntent } from "../../common/intent";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import { actor } from "../../stack/local/chain";
import { hashOf } from "../../stack/local/sample/people";
import { type Stack, startStack } from "../support/stack";

const FILLS = 50;
const owner = actor(1);
const solver = actor(2);
const amount = parseUnits("10", 6);

type Answer = { status: string; fill: { result_hash: string; trace_hash: string; amount_out: string } | null };

describe("reads while the chain advances", () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack?.stop());

  async function submit(nonce: bigint): Promise<void> {
    const { contracts, write, client } = stack;
    const { timestamp } = await client.getBlock();
    const intent: SignableIntent = {
      owner: owner.address,
      intentType: 0,
      constraints: { amountInMax: amount, amountOutMin: amount, deadline: timestamp + 86_400n, slippageBps: 0 },
      execution: anyExecution,
      inputToken: contracts.TestDollar,
      outputToken: contracts.TestDollar,
      nonce,
    };
    const signed = await signIntent(owner, intent, { intentBook: contracts.IntentBook, chainId: LOCAL_CHAIN_ID });
    await write(owner, "IntentBook", "submitIntent", signed);
    const validUntil = timestamp + 86_400n;
    await write(solver, "IntentBook", "submitBid", [nonce, amount, amount, 0n, validUntil, hashOf("route")]);
    await write(owner, "IntentBook", "selectBid", [nonce, 1n]);
  }

  const fill = (id: bigint) =>
    stack.write(solver, "IntentBook", "fillIntent", [
      id,
      {
        amountIn: amount,
        amountOut: amount,
        solver: solver.address,
        executionData: "0x",
        resultHash: hashOf(`result ${id}`),
        traceHash: hashOf(`trace ${id}`),
        attestationId: 0n,
      },
    ]);

  const read = async (id: bigint): Promise<Answer | undefined> => {
    const response = await fetch(`${stack.apiUrl}/intents/${id}`);
    return response.status === 404 ? undefined : ((await response.json()) as Answer);
  };

  it(`of an intent are open or completely filled in every response, through ${FILLS} fills`, {
    timeout: 300_000,
  }, async () => {
    let reads = 0;
    for (let id = 1n; id <= FILLS; id++) {
      const filled = {
        status: "FILLED",
        fill: { result_hash: hashOf(`result ${id}`), trace_hash: hashOf(`trace ${id}`), amount_out: String(amount) },
      };
      await submit(id);
      const sent = fill(id);
      for (;;) {
        const answer = await read(id);
        reads++;
        if (answer?.status === "FILLED") {
          expect(answer).toMatchObject(filled);
          break;
        }
        if (answer) expect(answer).toMatchObject({ status: "OPEN", fill: null });
      }
      await sent;
    }
    expect(reads).toBeGreaterThan(FILLS);
  });

  it("have another entity tag once the chain has advanced", async () => {
    const url = `${stack.apiUrl}/agents?owner=${owner.address}`;
    const register = (name: string) =>
      stack.write(owner, "AgentRegistry", "registerAgent", [name, "0x01", hashOf(name)]);
    await register("first");
    await stack.indexed();
    const etag = (await fetch(url)).headers.get("etag") ?? "";
    expect((await fetch(url, { headers: { "if-none-match": etag } })).status).toBe(304);
    await register("new");
    await stack.indexed();
    const answer = await fetch(url, { headers: { "if-none-match": etag } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("etag")).not.toBe(etag);
  });
});
