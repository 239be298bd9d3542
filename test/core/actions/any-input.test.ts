import fc from "fast-check";
import { getAddress } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actions } from "../../../api/operations/actions/index";
import { people } from "../../../stack/local/sample/people";
import { runs } from "../../support/seed";
import { type WrittenStack, writesStack } from "../../support/shared-stack";
import { away, gatewaysOn, nodeWithout } from "./in-process";

const { alice, bob } = people;

const upper = (hex: string) => `0x${hex.slice(2).toUpperCase()}`;

const line = { recipient: bob.address, amount: "1" };

/** Values of every type, right and wrong. */
const values: unknown[] = [
  ...[null, true, false, "true", "", " ", "0", "1", "3", "5", "999999", 0, 1, -1, 1.5, 1e21, 2 ** 53],
  ...[String(2n ** 256n - 1n), String(2n ** 256n), "9".repeat(5_000), "0x", "0x1", "0X12", "0xzz"],
  ...[bob.address, bob.address.toLowerCase(), upper(bob.address), getAddress(bob.address), `${bob.address}00`],
  ...[`0x${"00".repeat(20)}`, `0x${"00".repeat(32)}`, `0x${"AB".repeat(32)}`, `0x${"ff".repeat(65)}`],
  ...["1 tUSD", "1,000.5 tUSD", "1.5 ETH", "1e400 tUSD", "-1 tUSD", "1 toString", "1 __proto__", "1\u202etUSD"],
  ...["tUSD", "constructor", "__proto__", "30m", "999999w", "0s", "-1h", "1000000000", "999999999999"],
  ...["transfer", "x402", "merchant", "risk", "rejected", "policy", "transfer(address,uint256)"],
  ...["x".repeat(3_000), "\u0000", "\ud800", "\u202e\n", '"', "ipfs://x"],
  ...[[], {}, [[]], [null], [line], [{ ...line, kind: 255 }], [{ ...line, kind: 256 }], new Array(51).fill(line)],
  ...[{ name: "x" }, { name: "\ud800" }, { name: "x".repeat(200_000) }, { toJSON: 1 }, { a: { b: [{ c: null }] } }],
];

describe("any input of an action", () => {
  let stack: WrittenStack;
  let gateways: Awaited<ReturnType<typeof gatewaysOn>>;
  let node: ReturnType<typeof nodeWithout>;
  let prepareOne: ReturnType<typeof gateways.preparing>;
  let prepareAway: ReturnType<typeof gateways.preparing>;
  let quotes: string[];

  beforeAll(async () => {
    // Documents are published.
    stack = await writesStack();
    gateways = await gatewaysOn(stack);
    prepareOne = gateways.preparing((calls, client) => node.simulate(calls, client));
    prepareAway = gateways.preparing(away);
    const found = (await (await fetch(`${stack.apiUrl}/quotes`)).json()).quotes as { quote_hash: string }[];
    quotes = found.map(({ quote_hash }) => quote_hash);
  }, 180_000);
  afterAll(async () => {
    await gateways?.close();
    await stack?.release();
  });

  /** The example of an action, with some fields that have another value. */
  const inputs = ({ input, example }: (typeof actions)[keyof typeof actions]) => {
    const fields = [...Object.keys(input.shape), "unknown"];
    const changed = fc.tuple(fc.constantFrom(...fields), fc.oneof(fc.constantFrom(...values), fc.jsonValue()));
    return fc
      .tuple(fc.array(changed, { maxLength: 4 }), fc.nat(), fc.boolean(), fc.boolean())
      .map(([changes, quote, isPolicy, hasSigner]) => ({
        ...example,
        ...("quote_hash" in example && { quote_hash: quotes[quote % quotes.length] }),
        ...(isPolicy && { account: "policy", from: stack.contracts.PolicyAccount }),
        ...(isPolicy && hasSigner && { signer: upper(alice.address) }),
        ...Object.fromEntries(changes),
      }));
  };

  it.each(Object.entries(actions))(
    "of %s gets an answer or a sentence, for at most one request to the node",
    async (name, action) => {
      await fc.assert(
        fc.asyncProperty(inputs(action), async (input) => {
          // A client has only so many simulations with one node.
          node = nodeWithout(stack.client, []);
          const { status, body } = await prepareOne(name, input);
          const offline = await prepareAway(name, input);
          expect([200, 400, 404, 413, 503], JSON.stringify(body)).toContain(status);
          expect(node.requests.length).toBeLessThanOrEqual(1);
          if (status !== 200) {
            expect(body.error).toMatch(/^\w.*\S$/s);
            expect(offline).toEqual({ status, body });
            return;
          }
          const { summary, transactions, simulation } = body;
          expect(summary.replaceAll(/"(?:[^"\\]|\\.)*"/g, "")).not.toMatch(/undefined|NaN|\[object|null/);
          expect(simulation === null).toBe(transactions.length === 0);
          // Only the domain of a token that signs can't be known without a node.
          if (offline.status === 503) return expect(transactions).toEqual([]);
          expect(offline.body).toMatchObject({ summary, simulation: null });
          const codes = offline.body.warnings.map(({ code }) => code);
          expect(codes.includes("not_simulated")).toBe(transactions.length > 0);
        }),
        { numRuns: runs(20) },
      );
    },
  );
});
