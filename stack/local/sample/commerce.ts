import { type Address, type Hex, parseEventLogs, parseUnits, zeroAddress, zeroHash } from "viem";
import { settlementAdapterAbi } from "../../../abis/index";
import type { Protocol } from "../protocol";
import type { MetadataReference, metadataAt } from "./metadata";
import { hashOf, people } from "./people";

const { alice, bob, dataMerchant, artMerchant, facilitator } = people;

export const rails = { transfer: 0, swap: 1, facilitator: 2, x402: 3 } as const;

export const RESOLVED = 1;
export const REJECTED = 2;

type Sale = {
  merchantId: bigint;
  serviceNumericId: bigint;
  agent: Address;
  dollars: string;
  rail: keyof typeof rails;
  nonce: bigint;
};

/** Commits a quote as the merchant's owner and returns its hash. */
async function commitQuote({ write, read, contracts }: Protocol, sale: Sale, expiresAt: bigint) {
  const needsFacilitator = sale.rail === "facilitator" || sale.rail === "x402";
  const commitment = {
    merchantId: sale.merchantId,
    serviceNumericId: sale.serviceNumericId,
    agent: sale.agent,
    token: contracts.TestDollar,
    facilitator: needsFacilitator ? facilitator.address : zeroAddress,
    amount: parseUnits(sale.dollars, 6),
    paymentRail: rails[sale.rail],
    expiresAt,
    paymentNonce: sale.nonce,
    resourceHash: hashOf(`resource ${sale.serviceNumericId}`),
    termsHash: hashOf("terms"),
    x402PayloadHash: sale.rail === "x402" ? hashOf(`payload ${sale.nonce}`) : zeroHash,
  };
  await write(sale.merchantId === 1n ? dataMerchant : artMerchant, "CommerceRegistry", "commitQuote", [commitment]);
  return read("CommerceRegistry", "computeQuoteHash", [commitment]);
}

/** Alice pays the quote of the data merchant with a fee for the facilitator. Returns the hash of the execution. */
async function settle({ write, contracts }: Protocol, quoteHash: Hex, deadline: bigint): Promise<Hex> {
  const { TestDollar: token, SettlementAdapter: adapter } = contracts;
  const line = (kind: number, { address: recipient }: { address: Address }, dollars: string) => ({
    ...{ kind, recipient, token, amount: parseUnits(dollars, 6), metadataHash: hashOf(`line ${kind}`) },
  });
  const instruction = {
    ...{ quoteHash, settlementPlanHash: hashOf("plan 1"), payer: alice.address, token, deadline },
    ...{ grossAmount: parseUnits("1.53", 6), lines: [line(0, dataMerchant, "1.5"), line(7, facilitator, "0.03")] },
  };
  await write(alice, "TestDollar", "mint", [alice.address, instruction.grossAmount]);
  await write(alice, "TestDollar", "approve", [adapter, instruction.grossAmount]);
  const { logs } = await write(alice, "SettlementAdapter", "executeSettlement", [instruction]);
  const [executed] = parseEventLogs({ abi: settlementAdapterAbi, eventName: "SettlementExecuted", logs });
  if (!executed) throw new Error("The settlement has no SettlementExecuted event");
  return executed.args.executionHash;
}

/** Registers two merchants with three services, and their facilitator. */
export async function registerMerchants({ write }: Protocol, metadata: ReturnType<typeof metadataAt>): Promise<void> {
  const registry = "CommerceRegistry";
  const referTo = ({ uri, hash }: MetadataReference) => [uri, hash] as const;
  await write(dataMerchant, registry, "registerMerchant", [dataMerchant.address, ...referTo(metadata("dataMerchant"))]);
  await write(artMerchant, registry, "registerMerchant", [artMerchant.address, ...referTo(metadata("artMerchant"))]);
  await write(artMerchant, registry, "updateMerchant", [
    2n,
    alice.address,
    ...referTo(metadata("artMerchantMoved")),
    true,
  ]);
  await write(dataMerchant, registry, "registerService", [
    1n,
    "weather",
    ...referTo(metadata("weather")),
    hashOf("forecast"),
  ]);
  await write(dataMerchant, registry, "registerService", [
    1n,
    "prices",
    ...referTo(metadata("prices")),
    hashOf("quote"),
  ]);
  await write(artMerchant, registry, "registerService", [
    2n,
    "portrait",
    ...referTo(metadata("portrait")),
    hashOf("draw"),
  ]);
  await write(dataMerchant, registry, "updateService", [
    2n,
    ...referTo(metadata("pricesEnded")),
    hashOf("quote"),
    false,
  ]);
  await write(facilitator, registry, "registerFacilitator", [
    facilitator.address,
    "ipfs://facilitators/one",
    hashOf("one"),
  ]);
  await write(facilitator, registry, "updateFacilitator", [1n, "ipfs://facilitators/one-v2", hashOf("one v2"), true]);
}

/** The document that proves the fulfilment of a receipt. The one of receipt 1 is the example of its operation. */
export const evidenceOf = (receiptId: number) => JSON.stringify({ type: "delivery", receipt_id: String(receiptId) });

/** Records sales on every payment rail, with fulfilments and with resolved, rejected and open disputes. */
export async function recordSales(protocol: Protocol, now: bigint): Promise<void> {
  const { write } = protocol;
  const registry = "CommerceRegistry";
  const expiresAt = now + 7n * 86_400n;
  const weather = { merchantId: 1n, serviceNumericId: 1n, agent: alice.address };
  const portrait = { merchantId: 2n, serviceNumericId: 3n, agent: bob.address };

  const transfer = await commitQuote(protocol, { ...weather, dollars: "1.5", rail: "transfer", nonce: 1n }, expiresAt);
  const swap = await commitQuote(protocol, { ...portrait, dollars: "40", rail: "swap", nonce: 2n }, expiresAt);
  const facilitated = await commitQuote(
    protocol,
    { ...weather, dollars: "3", rail: "facilitator", nonce: 3n },
    expiresAt,
  );
  const x402 = await commitQuote(protocol, { ...portrait, dollars: "25", rail: "x402", nonce: 4n }, expiresAt);
  await commitQuote(protocol, { ...weather, dollars: "9.99", rail: "transfer", nonce: 5n }, expiresAt);

  await write(alice, registry, "recordReceipt", [transfer, await settle(protocol, transfer, expiresAt)]);
  await write(artMerchant, registry, "recordReceipt", [swap, hashOf("paid 2")]);
  await write(facilitator, registry, "recordReceipt", [facilitated, hashOf("paid 3")]);
  await write(facilitator, registry, "recordReceipt", [x402, hashOf("paid 4")]);
  await write(dataMerchant, registry, "recordFulfillment", [1n, hashOf(evidenceOf(1))]);
  await write(artMerchant, registry, "recordFulfillment", [4n, hashOf(evidenceOf(4))]);

  await write(alice, registry, "openDispute", [1n, hashOf("wrong city")]);
  await write(bob, registry, "openDispute", [2n, hashOf("never came")]);
  await write(bob, registry, "openDispute", [4n, hashOf("poor likeness")]);
  await write(dataMerchant, registry, "resolveDispute", [1n, RESOLVED, hashOf("refunded")]);
  await write(artMerchant, registry, "resolveDispute", [2n, REJECTED, hashOf("it came")]);
}

/** Records one trust signal of each kind: about a merchant, a service, the facilitator and an agent. */
export async function recordTrustSignals({ write }: Protocol): Promise<void> {
  const registry = "CommerceRegistry";
  await write(people.attestor, registry, "recordTrustSignal", [0, 1n, 0, hashOf("verified merchant")]);
  await write(people.attestor, registry, "recordTrustSignal", [1, 3n, 1, hashOf("slow service")]);
  await write(alice, registry, "recordTrustSignal", [2, 1n, 2, hashOf("compliant facilitator")]);
  await write(dataMerchant, registry, "recordTrustSignal", [3, 1n, 3, hashOf("pays on time")]);
}
