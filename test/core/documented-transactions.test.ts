import { type Hex, parseEventLogs } from "viem";
import { beforeAll, describe, expect, it } from "vitest";
import { contractNames, protocolAbis } from "../../config/contracts";
import { inChunks, lower } from "../support/agreement/chain";
import { ask, askAll, type Item } from "../support/lists/asking";
import { type SampleStack, sampleStack } from "../support/shared-stack";
import { distinct } from "./documented/rows";

describe("GET /tx/:hash/explain, on the sample chain", () => {
  let stack: SampleStack;

  beforeAll(async () => {
    stack = await sampleStack();
  });

  const protocolAbi = contractNames.flatMap((name) => [...protocolAbis[name]]);

  /** Every protocol event except OpenZeppelin's own, which is never emitted. */
  const everyEvent = distinct(protocolAbi.flatMap((item) => (item.type === "event" ? [item.name] : []))).filter(
    (name) => name !== "EIP712DomainChanged",
  );

  /** An argument as JSON. */
  const written = (value: unknown) =>
    typeof value === "bigint"
      ? String(value)
      : typeof value === "string" && /^0x/.test(value)
        ? value.toLowerCase()
        : value;

  async function transactions(): Promise<Hex[]> {
    const head = await stack.client.getBlockNumber();
    const numbers = Array.from({ length: Number(head) + 1 }, (_, index) => BigInt(index));
    const blocks = await inChunks(numbers, (blockNumber) => stack.client.getBlock({ blockNumber }));
    return blocks.flatMap((block) => block.transactions);
  }

  it("explains every transaction of the chain, with its events in the order of their logs", async () => {
    const addresses = contractNames.map((name) => lower(stack.contracts[name]));
    const described = new Set<string>();
    for (const hash of await transactions()) {
      const receipt = await stack.client.getTransactionReceipt({ hash });
      const logs = parseEventLogs({
        abi: protocolAbi,
        logs: receipt.logs.filter(({ address }) => addresses.includes(lower(address))),
      }).sort((a, b) => a.logIndex - b.logIndex);
      const response = await fetch(`${stack.apiUrl}/tx/${hash}/explain`);
      const explanation = (await response.json()) as Item & { events: Item[] };
      if (logs.length === 0) {
        expect([response.status, Object.keys(explanation)]).toEqual([404, ["error", "code"]]);
        continue;
      }
      const { events, ...rest } = explanation;
      expect(rest).toEqual({
        tx_hash: hash,
        block_number: String(receipt.blockNumber),
        block_timestamp: String((await stack.client.getBlock({ blockNumber: receipt.blockNumber })).timestamp),
        from: lower(receipt.from),
        to: receipt.to && lower(receipt.to),
        status: receipt.status,
        summary: `Transaction contained ${logs.length} event(s)`,
      });
      expect(events.map(({ eventName, args }) => ({ eventName, args }))).toEqual(
        logs.map(({ eventName, args }) => ({
          eventName,
          args: Object.fromEntries(Object.entries(args as Item).map(([name, value]) => [name, written(value)])),
        })),
      );
      for (const event of events) {
        expect(Object.keys(event).sort()).toEqual(["args", "description", "eventName"]);
        // The first argument is the subject: an id, a hash or an account.
        const [about] = Object.values(event.args as Item);
        expect(event.description).toContain(String(about));
        described.add(String(event.eventName));
      }
    }
    expect([...described].sort()).toEqual([...everyEvent].sort());
  });

  it("names the intent and its submitter", async () => {
    const [intent] = await askAll(stack.apiUrl, { path: "/intents" });
    const { events } = await ask<{ events: Item[] }>(stack.apiUrl, `/tx/${intent?.tx_hash}/explain`);
    expect(events).toEqual([
      {
        eventName: "IntentSubmitted",
        args: { intentId: intent?.intent_id, owner: intent?.owner, nonce: intent?.nonce },
        description: `Intent #${intent?.intent_id} submitted by ${intent?.owner} with nonce ${intent?.nonce}`,
      },
    ]);
  });
});
