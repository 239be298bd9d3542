import { type Address, type Hex, zeroAddress, zeroHash } from "viem";
import { quoteHash as hashOfQuote, type QuoteCommitment } from "../../../common/quote-hash";
import { paymentRails, signalKinds, signalSubjects } from "../../../ponder.schema";
import { amountTerm, timeTerm, tokenTerm } from "../../actions/terms";
import { BadInput, NotFound } from "../../core/errors";
import { address, hash, id, jsonObject, longText, oneOf } from "../../core/inputs";
import { disputes } from "../disputes";
import { normalizePaymentRequirement } from "../payment-requirements";
import { quotes } from "../quotes";
import { receipts } from "../receipts";
import { services } from "../services";
import { actionsOf } from "./action";
import { describeValues } from "./metadata";
import type { Scope } from "./scope";
import { contractAt } from "./step";

// A sale: the quote, its receipt, its fulfillment, disputes, and what is said about the parties.

const alice = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const dataMerchant = "0x976ea74026e726554db657fa54763abd0c3a0aa9";
const artMerchant = "0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f";

const commerce = actionsOf("CommerceRegistry");

const QUOTE_SECONDS = 600n;

const readReceipt = (scope: Scope, receiptId: bigint) => scope.read(receipts.get, { id: String(receiptId) });

type Receipt = Awaited<ReturnType<typeof readReceipt>>;

/** What a receipt is for, in a sentence. */
const describeReceipt = async (scope: Scope, { receipt_id, agent, merchant_id, token, amount }: Receipt) =>
  `receipt ${receipt_id}, by which ${agent} paid ${await scope.record("merchant", merchant_id)} ${await scope.money(BigInt(amount), token as Address)}`;

/** The hash of a statement, which is published if it is given as text. */
async function statementHash(
  scope: Scope,
  { type, name, receiptId }: { type: string; name: string; receiptId: string },
  text: string | undefined,
  given: Hex | undefined,
): Promise<Hex> {
  if (text !== undefined && given !== undefined) throw new BadInput(`${name}: can't be combined with ${name}_hash`);
  if (text !== undefined) return scope.publishStatement(type, receiptId, { statement: text });
  if (given !== undefined) return given;
  throw new BadInput(`${name}: is required, or ${name}_hash`);
}

/** Warns about a quote that is committed already: committing it again makes it payable again. */
async function checkCommitted(scope: Scope, quoteHash: Hex): Promise<void> {
  const found = await scope.read(quotes.get, { quoteHash }).catch((error: unknown) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });
  if (!found) return;
  scope.warn(
    "payment",
    found.settled
      ? `Quote ${quoteHash} has a receipt. Committing it again makes it payable again.`
      : `Quote ${quoteHash} is committed already.`,
  );
}

/** A text that is published as a document, for the field with its hash. */
const statement = (what: string) =>
  longText.optional().openapi({
    description: `${what} It is published as a document. Instead of its hash.`,
    example: "The answer was about another city.",
  });

const optionalHash = hash.optional().openapi({ description: "The hash of a document. Instead of its text." });

export const saleActions = {
  commitQuote: commerce("commitQuote", {
    title: "Prepares a quote of a merchant for an agent.",
    fields: {
      service_numeric_id: id.openapi({ description: "The service. Its merchant must be the sender's." }),
      agent: address.openapi({ description: "Who buys." }),
      amount: amountTerm.openapi({ description: "The price.", example: "1.5 tUSD" }),
      token: tokenTerm.optional().openapi({ description: "Default: the token that the amount names." }),
      payment_rail: oneOf(...paymentRails),
      facilitator: address.optional().openapi({ description: "Required on the rails facilitator and x402." }),
      expires_at: timeTerm.optional().openapi({ description: "Unix seconds or a duration. Default: 10m." }),
      resource_hash: hash.optional().openapi({ description: "The hash of the quote request. Default: zero." }),
      terms_hash: hash
        .optional()
        .openapi({ description: "The hash of the terms. Default: that of the service's metadata." }),
      payment_nonce: id.optional().openapi({
        description: "Default: resource_hash as a number, so that one request gets one quote.",
      }),
      payment_requirement: jsonObject.optional().openapi({
        description: "The x402 payment requirement, which is normalized and hashed. Instead of x402_payload_hash.",
        example: { scheme: "exact" },
      }),
      x402_payload_hash: hash.optional(),
    },
    example: {
      from: dataMerchant,
      service_numeric_id: "1",
      agent: alice,
      amount: "1.5 tUSD",
      payment_rail: "transfer",
      resource_hash: `0x${"1f".repeat(32)}`,
    },
    async plan(input, scope) {
      const { payment_rail: rail, agent, payment_requirement, x402_payload_hash } = input;
      const service = await scope.read(services.get, { id: input.service_numeric_id });
      const token = input.token ? scope.token("token", input.token) : scope.tokenOf("token", input.amount);
      const amount = await scope.amount("amount", input.amount, token);
      const needsFacilitator = rail === "facilitator" || rail === "x402";
      if (needsFacilitator && input.facilitator === undefined)
        throw new BadInput(`facilitator: is required on the rail ${rail}`);
      if (payment_requirement !== undefined && x402_payload_hash !== undefined)
        throw new BadInput("payment_requirement: can't be combined with x402_payload_hash");
      const normalized =
        payment_requirement &&
        (await scope.read(normalizePaymentRequirement, { payment_requirement_json: payment_requirement }));
      const resourceHash = input.resource_hash ?? zeroHash;
      const commitment: QuoteCommitment = {
        merchantId: BigInt(service.merchant_id),
        serviceNumericId: input.service_numeric_id,
        agent,
        token,
        facilitator: input.facilitator ?? zeroAddress,
        amount,
        paymentRail: paymentRails.indexOf(rail),
        expiresAt: scope.time("expires_at", input.expires_at ?? { after: QUOTE_SECONDS }),
        paymentNonce: input.payment_nonce ?? BigInt(resourceHash),
        resourceHash,
        termsHash: input.terms_hash ?? (service.metadata_hash as Hex),
        x402PayloadHash: (normalized?.x402_payload_hash as Hex | undefined) ?? x402_payload_hash ?? zeroHash,
      };
      const { chainId } = scope.context.config;
      const quoteHash = hashOfQuote(chainId, contractAt("CommerceRegistry", scope), commitment);
      await checkCommitted(scope, quoteHash);
      const facilitator =
        commitment.facilitator === zeroAddress
          ? "without a facilitator"
          : `through facilitator ${commitment.facilitator}`;
      const { paymentNonce, termsHash, x402PayloadHash } = commitment;
      const values = describeValues({
        "resource hash": resourceHash,
        "terms hash": termsHash,
        "x402 payload hash": x402PayloadHash,
      });
      return {
        summary: `Quote ${await scope.money(amount, token)} to ${agent} for ${await scope.record("service", input.service_numeric_id)} of ${await scope.record("merchant", service.merchant_id)}, paid by ${rail} ${facilitator} before ${scope.until(commitment.expiresAt)}, with the payment nonce ${paymentNonce}, ${values}. The quote is ${quoteHash}.`,
        args: { commitment },
        next: {
          description: "The agent pays the quote.",
          action: "payQuote",
          input: { from: agent, quote_hash: quoteHash },
        },
      };
    },
  }),

  recordReceipt: commerce("recordReceipt", {
    title: "Prepares the receipt of a paid quote.",
    description: "By the facilitator on the rails facilitator and x402, else by the merchant or the agent.",
    fields: {
      result_hash: hash.openapi({
        description: "What shows the payment: the hash of the transaction, or the execution hash of a settlement.",
      }),
    },
    example: { from: alice, quote_hash: `0x${"1f".repeat(32)}`, result_hash: `0x${"1f".repeat(32)}` },
    async plan({ quote_hash, result_hash }, scope) {
      const { merchant_id, agent, token, amount, settled } = await scope.read(quotes.get, { quoteHash: quote_hash });
      if (settled) scope.warn("payment", `Quote ${quote_hash} has a receipt already.`);
      return {
        summary: `Record that ${agent} paid ${await scope.record("merchant", merchant_id)} ${await scope.money(BigInt(amount), token as Address)} for quote ${quote_hash}, as ${result_hash} shows.`,
        next: {
          description:
            "The merchant delivers, and records the fulfillment of the receipt in the event ReceiptRecorded.",
          action: "recordFulfillment",
          input: null,
        },
      };
    },
  }),

  recordFulfillment: commerce("recordFulfillment", {
    title: "Prepares the fulfillment of a receipt.",
    fields: {
      evidence: jsonObject.optional().openapi({
        description: "Public facts about the delivery, which are published as evidence. Instead of fulfillment_hash.",
        example: { delivered: "by API" },
      }),
      fulfillment_hash: hash.optional().openapi({ description: "The hash of published evidence." }),
    },
    publishes: true,
    example: { from: dataMerchant, receipt_id: "1", fulfillment_hash: `0x${"1f".repeat(32)}` },
    async plan({ receipt_id, evidence, fulfillment_hash }, scope) {
      const found = await readReceipt(scope, receipt_id);
      if (evidence !== undefined && fulfillment_hash !== undefined)
        throw new BadInput("evidence: can't be combined with fulfillment_hash");
      const fulfillmentHash =
        evidence === undefined
          ? fulfillment_hash
          : await scope.publishStatement("delivery", found.receipt_id, {
              quote_hash: found.quote_hash,
              details: evidence,
            });
      if (fulfillmentHash === undefined) throw new BadInput("evidence: is required, or fulfillment_hash");
      return {
        summary: `Record that ${await describeReceipt(scope, found)}, is fulfilled, with the evidence ${fulfillmentHash}.`,
        args: { fulfillmentHash },
      };
    },
  }),

  openDispute: commerce("openDispute", {
    title: "Prepares a dispute of a receipt.",
    description: "By its agent or its merchant.",
    fields: { reason: statement("Why the receipt is disputed."), reason_hash: optionalHash },
    publishes: true,
    example: { from: alice, receipt_id: "1", reason_hash: `0x${"1f".repeat(32)}` },
    async plan({ receipt_id, reason, reason_hash }, scope) {
      const found = await readReceipt(scope, receipt_id);
      const complaint = { type: "complaint", name: "reason", receiptId: found.receipt_id };
      const reasonHash = await statementHash(scope, complaint, reason, reason_hash);
      return {
        summary: `Dispute ${await describeReceipt(scope, found)}, for the reason ${reasonHash}.`,
        args: { reasonHash },
        next: { description: "The merchant decides the dispute.", action: "resolveDispute", input: null },
      };
    },
  }),

  resolveDispute: commerce("resolveDispute", {
    title: "Prepares the decision of a dispute by its merchant.",
    description: "`resolved`: the complaint was right. `rejected`: it was not.",
    fields: {
      outcome: oneOf("resolved", "rejected"),
      resolution: statement("The reasons of the decision."),
      resolution_hash: optionalHash,
    },
    publishes: true,
    example: { from: artMerchant, dispute_id: "3", outcome: "resolved", resolution_hash: `0x${"1f".repeat(32)}` },
    async plan({ dispute_id, outcome, resolution, resolution_hash }, scope) {
      const { receipt_id } = await scope.read(disputes.get, { id: dispute_id });
      const found = await readReceipt(scope, BigInt(receipt_id));
      const decision = { type: "decision", name: "resolution", receiptId: receipt_id };
      const resolutionHash = await statementHash(scope, decision, resolution, resolution_hash);
      return {
        summary: `Decide dispute ${dispute_id} as ${outcome}, with the resolution ${resolutionHash}. It is about ${await describeReceipt(scope, found)}.`,
        args: { status: outcome === "resolved" ? 1 : 2, resolutionHash },
      };
    },
  }),

  recordTrustSignal: commerce("recordTrustSignal", {
    title: "Prepares a trust signal about a participant.",
    fields: { subject_type: oneOf(...signalSubjects), kind: oneOf(...signalKinds) },
    example: {
      from: alice,
      subject_type: "merchant",
      subject_id: "1",
      kind: "verification",
      signal_hash: `0x${"1f".repeat(32)}`,
    },
    plan: async ({ subject_type, subject_id, kind, signal_hash }, scope) => ({
      summary: `Record a ${kind} signal of ${scope.from} about ${await scope.record(subject_type, subject_id)}, with the hash ${signal_hash}.`,
      args: { subjectType: signalSubjects.indexOf(subject_type), kind: signalKinds.indexOf(kind) },
    }),
  }),
};
