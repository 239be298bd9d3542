import { authorizationTypes } from "@x402/evm";
import { type Address, encodeAbiParameters, type Hex, keccak256, maxUint256, zeroAddress, zeroHash } from "viem";
import { paymentRails } from "../../../ponder.schema";
import { amountTerm, timeTerm, tokenTerm } from "../../actions/terms";
import { BadInput } from "../../core/errors";
import { address, hash } from "../../core/inputs";
import { z } from "../../core/operation";
import { merchants } from "../merchants";
import { quotes } from "../quotes";
import { actionOperation, actionsOf } from "./action";
import { domainOf } from "./domain";
import { describeValues } from "./metadata";
import { isNative, type Scope } from "./scope";
import { contractAt, type Step, stepOf } from "./step";
import { typedDataOf } from "./typed-data";

// Payments: of quotes on every rail, and what they need.

const alice = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const dataMerchant = "0x976ea74026e726554db657fa54763abd0c3a0aa9";

/** The rails on which a facilitator settles what the payer signed. */
const signedRails: readonly string[] = ["facilitator", "x402"];

const MAX_LINES = 50;

const SETTLEMENT_SECONDS = 3_600n;

/** An approval of exactly an amount. */
const approval = (token: Address, spender: Address, amount: bigint): Step =>
  stepOf("token", token, "approve", { spender, value: amount });

const transfer = (token: Address, to: Address, amount: bigint): Step =>
  isNative(token)
    ? {
        to,
        called: { contract: "recipient", name: "transfer", args: { to, value: amount } },
        data: "0x",
        value: amount,
      }
    : stepOf("token", token, "transfer", { to, value: amount });

/** A quote, what its merchant is paid, and warnings about both. */
async function payableQuote(scope: Scope, quoteHash: Hex) {
  const quote = await scope.read(quotes.get, { quoteHash });
  const { payout_address } = await scope.read(merchants.get, { id: quote.merchant_id });
  const token = quote.token as Address;
  const amount = BigInt(quote.amount);
  const expiresAt = BigInt(quote.expires_at);
  if (quote.settled) scope.warn("payment", `Quote ${quoteHash} has a receipt already; do not pay it twice.`);
  if (expiresAt < scope.now) scope.warn("deadline", `Quote ${quoteHash} expired, so it can't get a receipt any more.`);
  if (quote.agent !== scope.from)
    scope.warn("payment", `Quote ${quoteHash} is for ${quote.agent}, not for ${scope.from}.`);
  await scope.checkParticipant("merchant", quote.merchant_id, { amount, token });
  return { quote, payTo: payout_address as Address, token, amount, expiresAt };
}

/** What a quote is for, in a sentence. */
const describeQuote = async (
  scope: Scope,
  quote: { merchant_id: string; service_numeric_id: string },
  quoteHash: Hex,
) =>
  `quote ${quoteHash} of ${await scope.record("merchant", quote.merchant_id)} for ${await scope.record("service", quote.service_numeric_id)}`;

const Line = z.strictObject(
  {
    recipient: address,
    amount: amountTerm,
    kind: z
      .int()
      .min(0)
      .max(255)
      .optional()
      .openapi({ description: "What it is for, by your own numbers. Default: 0." }),
    metadata_hash: hash.optional(),
  },
  "must be a JSON object",
);

type Line = z.output<typeof Line>;

type SettlementLine = { kind: number; recipient: Address; token: Address; amount: bigint; metadataHash: Hex };

const lineComponents = [
  { name: "kind", type: "uint8" },
  { name: "recipient", type: "address" },
  { name: "token", type: "address" },
  { name: "amount", type: "uint256" },
  { name: "metadataHash", type: "bytes32" },
] as const;

/** The default hash of a plan: of its lines. */
const planHash = (lines: readonly SettlementLine[]): Hex =>
  keccak256(encodeAbiParameters([{ type: "tuple[]", components: lineComponents }], [lines]));

const settlementLine = async (
  scope: Scope,
  { recipient, amount, kind = 0, metadata_hash }: Line,
  token: Address,
  index: number,
): Promise<SettlementLine> => ({
  kind,
  recipient,
  token,
  amount: await scope.amount(`lines.${index}.amount`, amount, token),
  metadataHash: metadata_hash ?? zeroHash,
});

/** Throws for lines that the contract refuses. */
function checkLines(lines: readonly SettlementLine[]): void {
  for (const [index, { recipient, amount }] of lines.entries()) {
    if (recipient === zeroAddress) throw new BadInput(`lines.${index}.recipient: must not be the zero address`);
    if (amount === 0n) throw new BadInput(`lines.${index}.amount: must be more than 0`);
  }
}

export const paymentActions = {
  approveToken: actionOperation({
    name: "approveToken",
    title: "Prepares the approval of a token.",
    description: "The spender can then take up to the amount.",
    fields: {
      token: tokenTerm.optional().openapi({ description: "Default: the token that the amount names." }),
      spender: address,
      amount: amountTerm,
    },
    example: { from: alice, spender: dataMerchant, amount: "10 tUSD" },
    async prepare({ token: sent, spender, amount: term }, scope) {
      const token = sent ? scope.token("token", sent) : scope.tokenOf("token", term);
      if (isNative(token)) throw new BadInput("token: the native coin needs no approval");
      const amount = await scope.amount("amount", term, token);
      scope.checkUnlimited(amount, "The approval");
      const limit =
        amount === maxUint256 ? `any amount of ${await scope.tokenName(token)}` : await scope.money(amount, token);
      return {
        summary: `Let ${spender} take up to ${limit} from ${scope.from}.`,
        steps: [approval(token, spender, amount)],
      };
    },
  }),

  transferToken: actionOperation({
    name: "transferToken",
    title: "Prepares a transfer of a token or the native coin.",
    fields: {
      token: tokenTerm.optional().openapi({
        description: "Default: the token that the amount names. The zero address is the native coin.",
      }),
      to: address,
      amount: amountTerm,
    },
    example: { from: alice, to: dataMerchant, amount: "1.5 tUSD" },
    async prepare({ token: sent, to, amount: term }, scope) {
      const token = sent ? scope.token("token", sent) : scope.tokenOf("token", term);
      const amount = await scope.amount("amount", term, token);
      return {
        summary: `Send ${await scope.money(amount, token)} from ${scope.from} to ${to}.`,
        steps: [transfer(token, to, amount)],
      };
    },
  }),

  payQuote: actionOperation({
    name: "payQuote",
    title: "Prepares the payment of a quote on its rail.",
    description:
      "On the rails transfer and swap a transfer to the merchant; on facilitator and x402 an authorization (EIP-3009) to sign, which the facilitator settles.",
    fields: { quote_hash: hash },
    example: { from: alice, quote_hash: `0x${"1f".repeat(32)}` },
    async prepare({ quote_hash }, scope) {
      const { quote, payTo, token, amount, expiresAt } = await payableQuote(scope, quote_hash);
      const rail = paymentRails[quote.payment_rail] ?? `rail ${quote.payment_rail}`;
      const paid = `${await scope.money(amount, token)} from ${scope.from} to ${payTo} for ${await describeQuote(scope, quote, quote_hash)}`;
      const until = scope.until(expiresAt);
      if (!signedRails.includes(rail))
        return {
          summary: `Pay ${paid} by ${rail}, before ${until}.`,
          steps: [transfer(token, payTo, amount)],
          next: {
            description:
              "Send the merchant the hash of the transaction. The merchant or the agent then records the receipt.",
            action: "recordReceipt",
            input: { from: scope.from, quote_hash },
          },
        };
      return {
        summary: `Sign an authorization to pay ${paid} by ${rail} through facilitator ${quote.facilitator}, before ${until}.`,
        steps: [],
        payment: { merchant: payTo, token, facilitator: quote.facilitator as Address, amount },
        typedData: typedDataOf({
          domain: {
            ...pick(await domainOf(scope, token)),
            chainId: scope.context.config.chainId,
            verifyingContract: token,
          },
          types: authorizationTypes,
          primaryType: "TransferWithAuthorization",
          message: {
            from: scope.from,
            to: payTo,
            value: amount,
            validAfter: 0n,
            validBefore: expiresAt,
            // An authorization pays one quote and no other.
            nonce: quote_hash,
          },
        }),
        next: {
          description:
            "Sign typed_data and send the merchant the signature. The facilitator settles it and records the receipt.",
          action: null,
          input: null,
        },
      };
    },
  }),

  executeSettlement: actionsOf("SettlementAdapter")("executeSettlement", {
    title: "Prepares a settlement of a quote, split over lines.",
    description: "The approval of a token comes first. The receipt of the quote can then be proven on chain.",
    fields: {
      quote_hash: hash,
      lines: z
        .array(Line)
        .min(1)
        .max(MAX_LINES)
        .optional()
        .openapi({
          description: `Who gets what, at most ${MAX_LINES}. Default: the merchant gets the price of the quote.`,
        }),
      settlement_plan_hash: hash
        .optional()
        .openapi({ description: "The hash of your plan. Default: that of the lines." }),
      deadline: timeTerm
        .optional()
        .openapi({ description: "Unix seconds or a duration. Default: 1h, or the end of the quote." }),
    },
    example: { from: alice, quote_hash: `0x${"1f".repeat(32)}` },
    async plan(input, scope) {
      const { quote_hash } = input;
      const adapter = contractAt("SettlementAdapter", scope);
      const { quote, payTo, token, amount, expiresAt } = await payableQuote(scope, quote_hash);
      const sent: readonly Line[] = input.lines ?? [{ recipient: payTo, amount: { raw: amount } }];
      const lines = [];
      for (const [index, line] of sent.entries()) lines.push(await settlementLine(scope, line, token, index));
      checkLines(lines);
      const grossAmount = lines.reduce((sum, line) => sum + line.amount, 0n);
      if (grossAmount > maxUint256) throw new BadInput("lines: their sum must be below 2^256");
      const toMerchant = lines.reduce((sum, line) => (line.recipient === payTo ? sum + line.amount : sum), 0n);
      if (toMerchant < amount)
        scope.warn(
          "payment",
          `The lines pay the merchant less than the ${await scope.money(amount, token)} of the quote.`,
        );
      const latest = scope.now + SETTLEMENT_SECONDS;
      const deadline = input.deadline
        ? scope.time("deadline", input.deadline)
        : latest < expiresAt
          ? latest
          : expiresAt;
      if (deadline > expiresAt)
        scope.warn("deadline", "The quote expires before the deadline. Paid after that, it can't get a receipt.");
      const rail = paymentRails[quote.payment_rail] ?? "";
      const isSigned = signedRails.includes(rail);
      if (isSigned)
        scope.warn("payment", `The quote is to be paid by ${rail}: only its facilitator can record the receipt.`);
      const paid = await Promise.all(
        lines.map(
          async ({ amount, recipient, kind, metadataHash }) =>
            `${await scope.money(amount, token)} to ${recipient} as kind ${kind} ${describeValues({ "metadata hash": metadataHash })}`,
        ),
      );
      if (input.settlement_plan_hash === zeroHash) throw new BadInput("settlement_plan_hash: must not be zero");
      const settlementPlanHash = input.settlement_plan_hash ?? planHash(lines);
      const instruction = {
        quoteHash: quote_hash,
        settlementPlanHash,
        payer: scope.from,
        token,
        grossAmount,
        deadline,
        lines,
      };
      return {
        summary: `Pay ${await scope.money(grossAmount, token)} from ${scope.from} for ${await describeQuote(scope, quote, quote_hash)}, before ${scope.until(deadline)}, through the SettlementAdapter ${adapter}${isNative(token) ? "" : ", which is approved for exactly this amount"}: ${paid.join("; ")}. The plan is ${settlementPlanHash}.`,
        args: { instruction },
        ...(isNative(token) ? { value: grossAmount } : { before: [approval(token, adapter, grossAmount)] }),
        next: {
          description: "Record the receipt with the execution hash of the event SettlementExecuted as result_hash.",
          ...(isSigned
            ? { action: null, input: null }
            : { action: "recordReceipt", input: { from: scope.from, quote_hash } }),
        },
      };
    },
  }),
};

const pick = ({ name, version }: { name: string; version: string }) => ({ name, version });
