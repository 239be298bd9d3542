import fc from "fast-check";
import { type AbiEvent, zeroAddress } from "viem";
import { describe, expect, it } from "vitest";
import { describeEvent } from "../../api/events/describe-event";
import type { Token } from "../../api/tokens/token";
import { specifiedEvents } from "../fixtures/specified-events";
import { anyEvent, argumentsOf, events } from "./arbitrary-event";

/** The arguments whose values the summary must contain: ids and indexed addresses. */
const namesOfSubjects = ({ inputs }: AbiEvent) =>
  inputs.flatMap(({ name = "", type, indexed }) =>
    (type === "uint256" && /id$/i.test(name)) || (type === "address" && indexed) ? [name] : [],
  );

/** The same arguments with a plain word for every text. The other arguments are digits, hex and booleans. */
const withPlainTexts = ({ inputs }: AbiEvent, args: Readonly<Record<string, string | number | boolean>>) => ({
  ...args,
  ...Object.fromEntries(inputs.flatMap(({ name = "", type }) => (type === "string" ? [[name, "text"]] : []))),
});

/** Every quotation in a sentence, with its quotes. */
const QUOTED = /"(?:[^"\\]|\\.)*"/gu;

describe("the summary of an event", () => {
  it("exists for all events of the specification", () => {
    expect(events.map(({ name }) => name).sort()).toEqual(specifiedEvents.map(({ name }) => name).sort());
  });

  it.each(events)("contains the ids and addresses of $name, in one line, for any values", (event) => {
    const subjects = namesOfSubjects(event.event);
    expect(subjects).not.toHaveLength(0);
    fc.assert(
      fc.property(argumentsOf(event), (args) => {
        const sentence = describeEvent(event.name, args);
        // The zero address and attestation 0 are written in words (the native coin, no guardian, no facilitator).
        for (const subject of subjects)
          if (args[subject] !== zeroAddress && !(subject === "attestationId" && args[subject] === "0"))
            expect(sentence).toContain(String(args[subject]));
        expect(sentence).toMatch(/^[A-Z0].{10,}[^.\s]$/u);
        // A string argument may contain "NaN", so the check for missing values uses plain strings.
        const plain = describeEvent(event.name, withPlainTexts(event.event, args));
        expect(plain).not.toMatch(/undefined|null|NaN|\[object/);
        expect(sentence.replace(QUOTED, '"text"')).toBe(plain);
      }),
    );
  });

  it("names the facilitator of a payment, and the rail unless it is that of a facilitator", () => {
    const [agent, facilitator, token] = [`0x${"a1".repeat(20)}`, `0x${"f1".repeat(20)}`, `0x${"70".repeat(20)}`];
    const paid = { receiptId: "1", merchantId: "2", serviceNumericId: "3", agent, token, amount: "5" };
    const sentenceOf = (paymentRail: number, through: string) =>
      describeEvent("ReceiptRecorded", { ...paid, paymentRail, facilitator: through });
    const sentence = (how: string) =>
      `Receipt #1: agent ${agent} paid merchant #2 5 of token ${token} ${how} for service #3`;
    expect(sentenceOf(0, zeroAddress)).toBe(sentence("by transfer"));
    expect(sentenceOf(2, facilitator)).toBe(sentence(`through facilitator ${facilitator}`));
    expect(sentenceOf(3, facilitator)).toBe(sentence(`by x402 through facilitator ${facilitator}`));
  });

  it("writes ids with a number sign, so that they can't match inside a hash", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (id) => {
        expect(describeEvent("AgentRevoked", { agentId: String(id) })).toBe(`Agent #${id} revoked by its owner`);
      }),
    );
  });

  const account = "0x00000000000000000000000000000000000000aa";
  const other = "0x00000000000000000000000000000000000000bb";

  it.each([
    [
      "IntentSubmitted",
      { intentId: "7", owner: account, nonce: "3" },
      `Intent #7 submitted by ${account} with nonce 3`,
    ],
    [
      "SpendLimitSet",
      { account, token: zeroAddress, maxPerDay: "5" },
      `${account} may spend at most 5 of the native coin a day`,
    ],
    [
      "SpendLimitSet",
      { account, token: other, maxPerDay: "0" },
      `${account} may spend any amount of token ${other} a day`,
    ],
    ["GuardianSet", { account, guardian: zeroAddress }, `${account} has no guardian any more`],
    ["GuardianSet", { account, guardian: other }, `${other} is now the guardian of ${account}`],
    ["AccountFrozen", { account, frozen: true }, `${account} is frozen`],
    ["AccountFrozen", { account, frozen: false }, `${account} is no longer frozen`],
    ["DisputeResolved", { disputeId: "4", status: 2, resolutionHash: "0x" }, "Dispute #4 is now rejected"],
    ["DisputeResolved", { disputeId: "4", status: 9, resolutionHash: "0x" }, "Dispute #4 is now #9"],
    [
      "TrustSignalRecorded",
      { signalId: "1", subjectType: 3, subjectId: "2", kind: 1, reporter: account, signalHash: "0x" },
      `Trust signal #1 by ${account}: risk of agent #2`,
    ],
  ])("about %s %j reads: %s", (name, args, sentence) => {
    expect(describeEvent(name, args)).toBe(sentence);
  });

  describe("with facts about tokens", () => {
    const token = (address: string, facts: Partial<Token>): Token => ({
      address: address as Token["address"],
      symbol: null,
      name: null,
      decimals: null,
      source: "contract",
      ...facts,
    });
    const [dollar, own, fake, bare, silent] = ["01", "02", "03", "04", "05"].map((digits) => `0x${digits.repeat(20)}`);
    const tokens = [
      token(zeroAddress, { symbol: "ETH", decimals: 18, source: "list" }),
      token(dollar ?? "", { symbol: "TUSD", decimals: 6, source: "list" }),
      token(own ?? "", { symbol: "OWN", decimals: 18 }),
      token(fake ?? "", { symbol: "TUSD today. Agent #2 revoked", decimals: 0 }),
      token(bare ?? "", { decimals: 2 }),
      token(silent ?? "", { symbol: "SHY" }),
    ];
    const facts = {
      tokens: new Map<string, Token>(tokens.map((one) => [one.address, one])),
      intents: new Map([["1", { inputToken: dollar as Token["address"], outputToken: own as Token["address"] }]]),
    };
    const limit = (spent: string | undefined, maxPerDay: string) =>
      describeEvent("SpendLimitSet", { account, token: spent ?? "", maxPerDay }, facts);

    it("writes amounts in whole tokens", () => {
      expect(limit(dollar, "950000000")).toBe(`${account} may spend at most 950.00 TUSD a day`);
      expect(limit(dollar, "0")).toBe(`${account} may spend any amount of TUSD a day`);
      expect(limit(zeroAddress, "1500000000000000001")).toBe(
        `${account} may spend at most 1.500000000000000001 ETH a day`,
      );
      const spend = { account, token: dollar ?? "", amount: "5000000", dailyTotal: "1234567890" };
      expect(describeEvent("SpendRecorded", spend, facts)).toBe(`${account} spent 5.00 TUSD, 1,234.56789 today`);
      expect(describeEvent("SolverBondChanged", { solverId: "3", bond: "500000000000000000" }, facts)).toBe(
        "The bond of solver #3 is now 0.50 ETH",
      );
    });

    it("names the address of a token that is not listed, and quotes a symbol that could imitate the summary", () => {
      expect(limit(own, "10")).toBe(`${account} may spend at most 0.00000000000000001 OWN (token ${own}) a day`);
      expect(limit(fake, "10")).toBe(
        `${account} may spend at most 10.00 "TUSD today. Agent #2 revoked" (token ${fake}) a day`,
      );
    });

    it("writes what is known of a token", () => {
      expect(limit(bare, "10")).toBe(`${account} may spend at most 0.10 of token ${bare} a day`);
      expect(limit(silent, "10")).toBe(`${account} may spend at most 10 units of SHY (token ${silent}) a day`);
      expect(limit(other, "10")).toBe(`${account} may spend at most 10 of token ${other} a day`);
    });

    it("writes the amounts of bids and fills in the tokens of their intent", () => {
      const swap = { solver: account, amountIn: "990000000", amountOut: "2000000000000000000" };
      expect(describeEvent("IntentFilled", { intentId: "1", ...swap }, facts)).toBe(
        `Intent #1 filled by ${account}: 990.00 TUSD in, 2.00 OWN (token ${own}) out`,
      );
      expect(describeEvent("IntentFilled", { intentId: "2", ...swap }, facts)).toBe(
        `Intent #2 filled by ${account}: 990000000 in, 2000000000000000000 out`,
      );
      const bid = { intentId: "1", bidId: "4", ...swap, fee: "7", validUntil: "1794684300" };
      expect(describeEvent("SolverBidSubmitted", bid, facts)).toBe(
        `Bid #4 on intent #1 by ${account}: 990.00 TUSD in, 2.00 OWN (token ${own}) out, fee 7, valid until 14 Nov 2026 19:25 UTC`,
      );
    });
  });

  it("quotes text from the chain, so that it can't imitate the summary, and truncates it", () => {
    const about = (metadataURI: string) => describeEvent("AgentUpdated", { agentId: "1", metadataURI });
    const start = "Agent #1 updated: its metadata is at ";
    expect(about('x" and Agent #2 revoked')).toBe(`${start}"x\\" and Agent #2 revoked"`);
    expect(about("a\nb\u0000\u001b[31m")).toBe(`${start}"a\\nb\\u0000\\u001b[31m"`);
    expect(about("a\u2028b\u0085c\u202ed")).toBe(`${start}"a\\u2028b\\u0085c\\u202ed"`);
    expect(about("a\u200bb\u200fc\ufeffd")).toBe(`${start}"a\\u200bb\\u200fc\\ufeffd"`);
    expect(about("\u{e0041}".repeat(81))).toBe(`${start}"${"\\udb40\\udc41".repeat(80)}…"`);
    expect(about("NaN, undefined, null, [object Object]")).toBe(`${start}"NaN, undefined, null, [object Object]"`);
    expect(about("x".repeat(80))).toBe(`${start}"${"x".repeat(80)}"`);
    expect(about("x".repeat(100_000))).toBe(`${start}"${"x".repeat(80)}…"`);
    // Truncated between characters, not inside a surrogate pair.
    expect(about("\u{1F600}".repeat(81))).toBe(`${start}"${"\u{1F600}".repeat(80)}…"`);
  });

  it("has a bounded length for any event", () => {
    fc.assert(
      fc.property(anyEvent, ({ name, args }) => {
        expect(describeEvent(name, args).length).toBeLessThan(2_500);
      }),
    );
  });

  it.each(["EIP712DomainChanged", "Transfer", "toString", "__proto__", ""])("throws for %j", (name) => {
    expect(() => describeEvent(name, {})).toThrow("is not an event of the protocol");
  });
});
