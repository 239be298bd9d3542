import fc from "fast-check";
import {
  type Abi,
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  keccak256,
  padHex,
  parseSignature,
  serializeSignature,
  stringToBytes,
  zeroAddress,
  zeroHash,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actions } from "../../../api/operations/actions/index";
import { intentTypes, type SignableIntent } from "../../../common/intent";
import { LOCAL_CHAIN_ID } from "../../../config/networks";
import { people } from "../../../stack/local/sample/people";
import { ownAccount } from "../../support/own-accounts";
import { runs } from "../../support/seed";
import { type SampleStack, sampleStack } from "../../support/shared-stack";
import { away, gatewaysOn } from "./in-process";
import { allAbis } from "./perform";
import { unsaidIn } from "./said";

const { alice, dataMerchant, facilitator } = people;

type Sent = Record<string, unknown>;

/** An input, and the calls that it means. */
type Case = { input: Sent | (() => Promise<Sent>); calls: Hex[] | (() => Hex[] | Promise<Hex[]>) };

const owner = ownAccount("owner of random intents");

const addresses = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes): Address => `0x${Buffer.from(bytes).toString("hex")}`);
const hashes = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes): Hex => `0x${Buffer.from(bytes).toString("hex")}`);
const bytes = fc.uint8Array({ maxLength: 70 }).map((some): Hex => `0x${Buffer.from(some).toString("hex")}`);
const uints = fc.oneof(fc.bigInt({ min: 0n, max: 1_000n }), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }));
const optionalHashes = fc.oneof(hashes, fc.constant(zeroHash));
/** Amounts that every intent of the sample accepts. */
const large = fc.bigInt({ min: 10n ** 30n, max: 2n ** 256n - 1n });
/** How long a bid on intent 5 may be valid, which is open for a month. */
const durations = fc.bigInt({ min: 3_600n, max: 86_400n });
/** Times that are not over. */
const futures = fc.bigInt({ min: 10n ** 10n, max: 10n ** 12n - 1n });
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

describe("the calldata of random actions", () => {
  let stack: SampleStack;
  let prepareOne: ReturnType<Awaited<ReturnType<typeof gatewaysOn>>["preparing"]>;
  let close: (() => Promise<void>) | undefined;
  let dollar: Address;
  let adapter: Address;
  let now: bigint;
  let quote: Record<string, string>;
  let selected: Record<string, string>;

  beforeAll(async () => {
    stack = await sampleStack();
    const gateways = await gatewaysOn(stack);
    prepareOne = gateways.preparing(away);
    close = gateways.close;
    now = gateways.now;
    dollar = stack.contracts.TestDollar.toLowerCase() as Address;
    adapter = stack.contracts.SettlementAdapter;
    [selected = {}] = (await (await fetch(`${stack.apiUrl}/intents/3/bids?status=selected`)).json()).bids;
    quote = (await (await fetch(`${stack.apiUrl}/quotes?settled=false`)).json()).quotes[0];
  }, 180_000);
  afterAll(() => close?.());

  const signed = async (message: SignableIntent) => {
    const domain = {
      ...{ name: "AgentIntentBook", version: "1", chainId: LOCAL_CHAIN_ID },
      verifyingContract: stack.contracts.IntentBook,
    };
    const typed = { domain, types: intentTypes, primaryType: "Intent", message } as const;
    return parseSignature(await owner.signTypedData(typed));
  };

  const encode = (functionName: string, args: readonly unknown[], abi: Abi = allAbis) =>
    encodeFunctionData({ abi, functionName, args });

  /** Each action with random values, and its calls as viem encodes them from values in the contract's terms. */
  const cases: Record<string, fc.Arbitrary<Case>> = {
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
    revokeAttestation: fc.constant({
      input: { attestation_id: "1" },
      calls: [encode("revokeAttestation", [1n])],
    }),
    cancelIntent: fc.constant({ input: { intent_id: "5" }, calls: [encode("cancelIntent", [5n])] }),
    fillIntent: fc.tuple(bytes, optionalHashes, optionalHashes, uints).map(([data, result, trace, attestation]) => ({
      input: {
        ...{ intent_id: "3", execution_data: data, result_hash: result, trace_hash: trace },
        attestation_id: attestation,
      },
      calls: () => {
        const { amount_in = 0, amount_out = 0, solver } = selected;
        const proof = { executionData: data, resultHash: result, traceHash: trace, attestationId: attestation };
        const fill = { amountIn: BigInt(amount_in), amountOut: BigInt(amount_out), solver, ...proof };
        return [encode("fillIntent", [3n, fill])];
      },
    })),
    addBond: uints.map((amount) => ({ input: { solver_id: "1", amount }, calls: [encode("addBond", [1n])] })),
    setUseFunctionAllowlist: flags.map((enabled) => ({
      input: { enabled },
      calls: [encode("setUseFunctionAllowlist", [enabled])],
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
    updateService: fc.tuple(texts, hashes, optionalHashes, flags).map(([uri, hash, capability, active]) => ({
      input: {
        ...{ service_numeric_id: "1", metadata_uri: uri, metadata_hash: hash, active },
        capability_hash: capability,
      },
      calls: [encode("updateService", [1n, uri, hash, capability, active])],
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
      .tuple(fc.bigInt({ min: 0n, max: 10n ** 9n }), large, uints, durations, optionalHashes)
      .map(([amountIn, amountOut, fee, duration, hash]) => ({
        input: {
          ...{ intent_id: "5", amount_in: amountIn, amount_out: amountOut, fee },
          ...{ valid_until: now + duration, execution_hash: hash },
        },
        calls: [encode("submitBid", [5n, amountIn, amountOut, fee, now + duration, hash])],
      })),
    selectBid: fc.bigInt({ min: 1n, max: 3n }).map((bid) => ({
      input: { intent_id: "5", bid_id: bid },
      calls: [encode("selectBid", [5n, bid])],
    })),
    submitIntent: fc
      .tuple(addresses, addresses, addresses, uints, uints, futures, fc.nat(10_000))
      .chain((terms) => fc.tuple(fc.constant(terms), uints, optionalHashes, optionalHashes, optionalHashes, hashes))
      .map(([[target, input, output, most, least, deadline, slippage], nonce, data, subject, schema, uri]) => {
        const intent: SignableIntent = {
          ...{ owner: owner.address, intentType: 0, inputToken: input, outputToken: output, nonce },
          constraints: { amountInMax: most, amountOutMin: least, deadline, slippageBps: slippage },
          execution: {
            target,
            dataHash: data,
            requiredAttestationSubject: subject,
            requiredAttestationSchema: schema,
            metadataURIHash: uri,
          },
        };
        return {
          input: async () => ({
            ...{ owner: owner.address, input_token: input, output_token: output, nonce, data_hash: data },
            ...{ amount_in_max: most, amount_out_min: least, deadline, slippage_bps: slippage },
            ...{ execution_target: target, metadata_uri_hash: uri },
            required_attestation_subject: subject,
            required_attestation_schema: schema,
            signature: serializeSignature(await signed(intent)),
          }),
          calls: async () => {
            const { v, r, s } = await signed(intent);
            return [encode("submitIntent", [intent, Number(v), r, s])];
          },
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

  it("has a case for every action", () => {
    expect(Object.keys(cases).sort()).toEqual(Object.keys(actions).sort());
  });

  it.each(Object.keys(cases))("of %s is as viem encodes it", async (name) => {
    const arbitrary = cases[name];
    if (!arbitrary) throw new Error(`No case ${name}`);
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ input, calls }) => {
        const sent = typeof input === "function" ? await input() : input;
        const { status, body } = await prepareOne(name, { from: alice.address, ...sent });
        expect(status, JSON.stringify(body)).toBe(200);
        expect(body.transactions.map(({ data }) => data)).toEqual(typeof calls === "function" ? await calls() : calls);
        const unsaid = body.transactions.flatMap((transaction) => unsaidIn(body.summary, transaction, dollar));
        expect(unsaid, body.summary).toEqual([]);
      }),
      { numRuns: runs(15) },
    );
  });
});
