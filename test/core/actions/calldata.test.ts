import fc from "fast-check";
import {
  type Abi,
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  keccak256,
  maxUint256,
  padHex,
  parseSignature,
  stringToBytes,
  zeroAddress,
  zeroHash,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatAmount, formatTime } from "../../../common/format";
import { people } from "../../../stack/local/sample/people";
import { runs } from "../../support/seed";
import { type SampleStack, sampleStack } from "../../support/shared-stack";
import { away, gatewaysOn } from "./in-process";
import { allAbis, decoded } from "./perform";

const { alice, dataMerchant, facilitator } = people;

type Case = { name: string; input: Record<string, unknown>; calls: Hex[] };

const addresses = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes): Address => `0x${Buffer.from(bytes).toString("hex")}`);
const hashes = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes): Hex => `0x${Buffer.from(bytes).toString("hex")}`);
const bytes = fc.uint8Array({ maxLength: 70 }).map((some): Hex => `0x${Buffer.from(some).toString("hex")}`);
const uints = fc.oneof(fc.bigInt({ min: 0n, max: 1_000n }), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }));
/** Valid Unicode without NUL. Empty texts of optional fields are absent. */
const texts = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }).filter((text) => !text.includes("\0"));
const flags = fc.boolean();
const microdollars = fc.bigInt({ min: 1n, max: 10n ** 15n });

/** An amount of tUSD as a person writes it: with separators, and as many decimals as it needs. */
const asDollars = (amount: bigint) => {
  const whole = (amount / 1_000_000n).toLocaleString("en-US");
  const fraction = String(amount % 1_000_000n)
    .padStart(6, "0")
    .replace(/0+$/, "");
  return `${whole}${fraction === "" ? "" : `.${fraction}`} tUSD`;
};

const hashOfText = (text: string) => keccak256(stringToBytes(text));

/** The values of decoded arguments, at any depth. */
const leavesOf = (value: unknown): unknown[] =>
  typeof value === "object" && value !== null ? Object.values(value).flatMap(leavesOf) : [value];

/** What a summary may say for a value: a number as it is, as an amount of dollars or of the native coin, or as a time. */
function textsFor(value: unknown): string[] {
  if (typeof value === "boolean" || value === zeroAddress || value === zeroHash || value === "0x") return [""];
  if (typeof value === "string")
    return value.startsWith("0x") ? [value.toLowerCase()] : [JSON.stringify(value).slice(1, -1)];
  const number = BigInt(value as bigint);
  return [
    ...(number === 0n ? [""] : []),
    ...(number === maxUint256 ? ["any amount"] : []),
    String(number),
    formatAmount(number, 6),
    formatAmount(number, 18),
    formatTime(number),
  ];
}

/** Values that a summary says in other words: a rail, an outcome, a function, or what the hash of the quote or plan covers. */
const inOtherWords: Readonly<Record<string, (value: unknown) => boolean>> = {
  commitQuote: (value) => typeof value !== "string" || value.length === 66,
  executeSettlement: (value) => typeof value === "number" || (typeof value === "string" && value.length === 66),
  recordTrustSignal: (value) => typeof value === "number",
  resolveDispute: (value) => typeof value === "number",
  submitIntent: (value) => typeof value === "number" || (typeof value === "string" && /^0x(12|34){32}$/.test(value)),
};

describe("the calldata of random actions", () => {
  let stack: SampleStack;
  let prepareOne: ReturnType<Awaited<ReturnType<typeof gatewaysOn>>["preparing"]>;
  let close: (() => Promise<void>) | undefined;
  let dollar: Address;
  let adapter: Address;
  let quote: Record<string, string>;
  /** Contracts that summaries name, and the token that they show by its symbol. */
  let names: Set<string>;

  beforeAll(async () => {
    stack = await sampleStack();
    const gateways = await gatewaysOn(stack);
    prepareOne = gateways.preparing(away);
    close = gateways.close;
    dollar = stack.contracts.TestDollar.toLowerCase() as Address;
    adapter = stack.contracts.SettlementAdapter;
    names = new Set(Object.values(stack.contracts).map((contract) => contract.toLowerCase()));
    quote = (await (await fetch(`${stack.apiUrl}/quotes?settled=false`)).json()).quotes[0];
  }, 180_000);
  afterAll(() => close?.());

  const encode = (functionName: string, args: readonly unknown[], abi: Abi = allAbis) =>
    encodeFunctionData({ abi, functionName, args });

  /** Each action with random values, and its calls as viem encodes them from values in the contract's terms. */
  const cases: Record<string, fc.Arbitrary<Omit<Case, "name">>> = {
    registerAgent: fc.tuple(texts, bytes, texts).map(([uri, pubkey, capabilities]) => ({
      input: { metadata_uri: uri, pubkey, capabilities },
      calls: [encode("registerAgent", [uri, pubkey, hashOfText(capabilities)])],
    })),
    updateAgent: fc.tuple(texts, hashes).map(([uri, hash]) => ({
      input: { agent_id: "1", metadata_uri: uri, capabilities_hash: hash },
      calls: [encode("updateAgent", [1n, uri, hash])],
    })),
    revokeAgent: uints.map((id) => ({ input: { agent_id: id }, calls: [encode("revokeAgent", [id])] })),
    submitAttestation: fc.tuple(hashes, addresses, hashes).map(([schema, subject, hash]) => ({
      input: { schema, subject, data_hash: hash },
      calls: [encode("submitAttestation", [schema, padHex(subject, { size: 32 }), hash])],
    })),
    registerAttestor: fc.tuple(texts, hashes).map(([uri, hash]) => ({
      input: { metadata_uri: uri, schemas_hash: hash },
      calls: [encode("registerAttestor", [uri, hash])],
    })),
    updateAttestor: fc.tuple(texts, hashes, flags).map(([uri, hash, active]) => ({
      input: { attestor_id: 1, metadata_uri: uri, schemas_hash: hash, active },
      calls: [encode("updateAttestor", [1n, uri, hash, active])],
    })),
    registerSolver: fc.tuple(texts, hashes, uints).map(([uri, hash, bond]) => ({
      input: { metadata_uri: uri, capabilities_hash: hash, bond },
      calls: [encode("registerSolver", [uri, hash])],
    })),
    updateSolver: fc.tuple(texts, hashes, flags).map(([uri, hash, active]) => ({
      input: { solver_id: "1", metadata_uri: uri, capabilities_hash: hash, active },
      calls: [encode("updateSolver", [1n, uri, hash, active])],
    })),
    withdrawBond: uints.map((amount) => ({
      input: { solver_id: "1", amount },
      calls: [encode("withdrawBond", [1n, amount])],
    })),
    setSpendLimit: microdollars.map((amount) => ({
      input: { max_per_day: asDollars(amount) },
      calls: [encode("setSpendLimit", [dollar, amount])],
    })),
    setTargetAllowed: fc.tuple(addresses, flags).map(([target, allowed]) => ({
      input: { target, allowed },
      calls: [encode("setTargetAllowed", [target, allowed])],
    })),
    setFunctionAllowed: fc.tuple(addresses, flags).map(([target, allowed]) => ({
      input: { target, selector: "approve(address,uint256)", allowed },
      calls: [encode("setFunctionAllowed", [target, "0x095ea7b3", allowed])],
    })),
    setGuardian: addresses.map((guardian) => ({ input: { guardian }, calls: [encode("setGuardian", [guardian])] })),
    setAccountFrozen: fc.tuple(addresses, flags).map(([account, frozen]) => ({
      input: { policy_account: account, frozen },
      calls: [encode("setAccountFrozen", [account, frozen])],
    })),
    setPaymentPolicy: fc
      .tuple(addresses, addresses, microdollars, microdollars, flags)
      .map(([merchant, settler, one, daily, allowed]) => ({
        input: {
          ...{ merchant, facilitator: settler, allowed },
          ...{ max_per_payment: asDollars(one), max_per_day: asDollars(daily) },
        },
        calls: [encode("setPaymentPolicy", [merchant, dollar, settler, one, daily, allowed])],
      })),
    recordSpend: fc.tuple(addresses, uints).map(([token, amount]) => ({
      input: { token, amount },
      calls: [encode("recordSpend", [token, amount])],
    })),
    recordSignedPayment: fc.tuple(addresses, uints, hashes).map(([merchant, amount, hash]) => ({
      input: { merchant, token: dollar, amount, payment_hash: hash },
      calls: [encode("recordSignedPayment", [merchant, dollar, zeroAddress, amount, hash])],
    })),
    registerMerchant: fc.tuple(addresses, texts, hashes).map(([payout, uri, hash]) => ({
      input: { payout_address: payout, metadata_uri: uri, metadata_hash: hash },
      calls: [encode("registerMerchant", [payout, uri, hash])],
    })),
    updateMerchant: fc.tuple(addresses, texts, hashes, flags).map(([payout, uri, hash, active]) => ({
      input: { merchant_id: "1", payout_address: payout, metadata_uri: uri, metadata_hash: hash, active },
      calls: [encode("updateMerchant", [1n, payout, uri, hash, active])],
    })),
    registerService: fc.tuple(uints, texts, texts, hashes, texts).map(([id, serviceId, uri, hash, capability]) => ({
      input: { merchant_id: id, service_id: serviceId, metadata_uri: uri, metadata_hash: hash, capability },
      calls: [encode("registerService", [id, serviceId, uri, hash, hashOfText(capability)])],
    })),
    registerFacilitator: fc.tuple(addresses, texts).map(([address, uri]) => ({
      input: { facilitator: address, metadata_uri: uri },
      calls: [encode("registerFacilitator", [address, uri, zeroHash])],
    })),
    updateFacilitator: fc.tuple(texts, hashes, flags).map(([uri, hash, active]) => ({
      input: { facilitator_id: "1", metadata_uri: uri, metadata_hash: hash, active },
      calls: [encode("updateFacilitator", [1n, uri, hash, active])],
    })),
    recordTrustSignal: fc.tuple(uints, hashes, fc.nat(3), fc.nat(3)).map(([id, hash, subject, kind]) => ({
      input: {
        subject_type: ["merchant", "service", "facilitator", "agent"][subject],
        subject_id: id,
        kind: ["verification", "risk", "compliance", "fulfillment"][kind],
        signal_hash: hash,
      },
      calls: [encode("recordTrustSignal", [subject, id, kind, hash])],
    })),
    recordFulfillment: hashes.map((hash) => ({
      input: { receipt_id: "2", fulfillment_hash: hash },
      calls: [encode("recordFulfillment", [2n, hash])],
    })),
    openDispute: hashes.map((hash) => ({
      input: { receipt_id: "2", reason_hash: hash },
      calls: [encode("openDispute", [2n, hash])],
    })),
    resolveDispute: fc.tuple(hashes, flags).map(([hash, isRight]) => ({
      input: { dispute_id: "3", outcome: isRight ? "resolved" : "rejected", resolution_hash: hash },
      calls: [encode("resolveDispute", [3n, isRight ? 1 : 2, hash])],
    })),
    submitBid: fc
      .tuple(uints, uints, uints, fc.bigInt({ min: 0n, max: 10n ** 12n - 1n }), hashes)
      .map(([amountIn, amountOut, fee, until, hash]) => ({
        input: {
          ...{ intent_id: "5", amount_in: amountIn, amount_out: amountOut, fee },
          ...{ valid_until: until, execution_hash: hash },
        },
        calls: [encode("submitBid", [5n, amountIn, amountOut, fee, until, hash])],
      })),
    selectBid: fc.bigInt({ min: 1n, max: 3n }).map((bid) => ({
      input: { intent_id: "5", bid_id: bid },
      calls: [encode("selectBid", [5n, bid])],
    })),
    submitIntent: fc
      .tuple(
        addresses,
        addresses,
        addresses,
        uints,
        uints,
        fc.bigInt({ min: 0n, max: 10n ** 12n - 1n }),
        fc.nat(10_000),
      )
      .chain((terms) => fc.tuple(fc.constant(terms), uints, hashes, hashes, hashes, hashes))
      .map(([[owner, input, output, most, least, deadline, slippage], nonce, data, subject, schema, uri]) => {
        const signature: Hex = `0x${"12".repeat(32)}${"34".repeat(32)}1c`;
        const { r, s } = parseSignature(signature);
        const intent = {
          ...{ owner, intentType: 0, inputToken: input, outputToken: output, nonce },
          constraints: { amountInMax: most, amountOutMin: least, deadline, slippageBps: slippage },
          execution: {
            target: owner,
            dataHash: data,
            requiredAttestationSubject: subject,
            requiredAttestationSchema: schema,
            metadataURIHash: uri,
          },
        };
        return {
          input: {
            ...{ owner, input_token: input, output_token: output, amount_in_max: most, amount_out_min: least },
            ...{ deadline, slippage_bps: slippage, nonce, execution_target: owner, data_hash: data, signature },
            required_attestation_subject: subject,
            required_attestation_schema: schema,
            metadata_uri_hash: uri,
          },
          calls: [encode("submitIntent", [intent, 28, r, s])],
        };
      }),
    commitQuote: fc
      .tuple(addresses, microdollars, fc.nat(3), uints, hashes, hashes, hashes)
      .map(([agent, amount, rail, nonce, resource, terms, payload]) => {
        const settler = rail < 2 ? zeroAddress : facilitator.address;
        const commitment = {
          ...{ merchantId: 1n, serviceNumericId: 1n, agent, token: dollar, facilitator: settler, amount },
          ...{ paymentRail: rail, expiresAt: 1_900_000_000n, paymentNonce: nonce, resourceHash: resource },
          ...{ termsHash: terms, x402PayloadHash: payload },
        };
        return {
          input: {
            ...{ service_numeric_id: "1", agent, amount: asDollars(amount), payment_nonce: nonce },
            ...{ payment_rail: ["transfer", "swap", "facilitator", "x402"][rail], expires_at: "1900000000" },
            ...{ resource_hash: resource, terms_hash: terms, x402_payload_hash: payload },
            ...(rail < 2 ? {} : { facilitator: settler }),
          },
          calls: [encode("commitQuote", [commitment])],
        };
      }),
    recordReceipt: hashes.map((hash) => ({
      input: { quote_hash: quote.quote_hash, result_hash: hash },
      calls: [encode("recordReceipt", [quote.quote_hash, hash])],
    })),
    approveToken: fc.tuple(addresses, addresses, uints).map(([token, spender, amount]) => ({
      input: { token, spender, amount },
      calls: [encode("approve", [spender, amount], erc20Abi)],
    })),
    transferToken: fc.tuple(addresses, microdollars).map(([to, amount]) => ({
      input: { to, amount: asDollars(amount) },
      calls: [encode("transfer", [to, amount], erc20Abi)],
    })),
    payQuote: fc.constant(undefined).map(() => ({
      input: { quote_hash: quote.quote_hash },
      calls: [encode("transfer", [dataMerchant.address, BigInt(quote.amount ?? 0)], erc20Abi)],
    })),
    executeSettlement: fc
      .tuple(fc.array(fc.tuple(fc.nat(255), addresses, microdollars, hashes), { minLength: 1, maxLength: 5 }), hashes)
      .map(([lines, plan]) => {
        const grossAmount = lines.reduce((sum, [, , amount]) => sum + amount, 0n);
        const instruction = {
          ...{ quoteHash: quote.quote_hash, settlementPlanHash: plan, payer: alice.address, token: dollar },
          ...{ grossAmount, deadline: 1_900_000_000n },
          lines: lines.map(([kind, recipient, amount, metadataHash]) => ({
            ...{ kind, recipient, token: dollar, amount, metadataHash },
          })),
        };
        return {
          input: {
            ...{ quote_hash: quote.quote_hash, settlement_plan_hash: plan, deadline: "1900000000" },
            lines: lines.map(([kind, recipient, amount, metadata_hash]) => ({
              ...{ kind, recipient, amount: asDollars(amount), metadata_hash },
            })),
          },
          calls: [encode("approve", [adapter, grossAmount], erc20Abi), encode("executeSettlement", [instruction])],
        };
      }),
  };

  it.each(Object.keys(cases))("of %s is as viem encodes it", async (name) => {
    const arbitrary = cases[name];
    if (!arbitrary) throw new Error(`No case ${name}`);
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ input, calls }) => {
        const { status, body } = await prepareOne(name, { from: alice.address, ...input });
        expect(status, JSON.stringify(body)).toBe(200);
        expect(body.transactions.map(({ data }) => data)).toEqual(calls);
        const isSaid = (text: string) => body.summary.includes(text);
        const unsaid = body.transactions
          .flatMap(({ data, to }) => [...leavesOf(decoded(data as Hex, [...allAbis, ...erc20Abi]).args), to])
          .filter(
            (value) => !names.has(String(value)) && !inOtherWords[name]?.(value) && !textsFor(value).some(isSaid),
          );
        expect(unsaid, body.summary).toEqual([]);
      }),
      { numRuns: runs(15) },
    );
  });
});
