import { type Address, type Hex, zeroHash } from "viem";
import { formatSecond } from "../../../common/format";
import { amountTerm, timeTerm } from "../../actions/terms";
import { BadInput, NotFound } from "../../core/errors";
import { bytes, id } from "../../core/inputs";
import { attestations } from "../attestations";
import { onchainBids } from "../bids";
import { intents } from "../intents";
import { actionsOf } from "./action";
import { describeValues } from "./metadata";
import type { Scope } from "./scope";
import {
  checkSignature,
  describeIntent,
  inputOf,
  intentData,
  intentFields,
  intentOf,
  optionalHash,
  signatureParts,
} from "./signed-intent";
import { typedDataOf } from "./typed-data";

// Intents of owners, bids and fills of solvers.

const alice = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const solver = "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65";

const book = actionsOf("IntentBook");

/** An intent as a sentence names it, with its owner. */
const readIntent = (scope: Scope, intentId: bigint) => scope.read(intents.get, { id: String(intentId) });

type Intent = Awaited<ReturnType<typeof readIntent>>;

/** The amounts of a bid in the tokens of its intent. */
async function describeBid(
  scope: Scope,
  { input_token, output_token }: Pick<Intent, "input_token" | "output_token">,
  bid: { amountIn: bigint; amountOut: bigint; fee: bigint },
) {
  const { amountIn, amountOut, fee } = bid;
  // The contract does not define the token of a fee.
  const charge = ` with ${fee === 0n ? "no fee" : `a fee of ${fee}`}`;
  return `${await scope.money(amountOut, output_token as Address)} for ${await scope.money(amountIn, input_token as Address)}${charge}`;
}

/** Throws for a bid that takes more or pays less than its intent allows. The terms of an intent never change. */
async function checkBid(
  scope: Scope,
  { amount_in_max, amount_out_min, input_token, output_token }: Intent,
  { amountIn, amountOut }: { amountIn: bigint; amountOut: bigint },
): Promise<void> {
  const [most, least] = [BigInt(amount_in_max), BigInt(amount_out_min)];
  if (amountIn > most)
    throw new BadInput(`amount_in: the intent gives at most ${await scope.money(most, input_token as Address)}`);
  if (amountOut < least)
    throw new BadInput(`amount_out: the intent wants at least ${await scope.money(least, output_token as Address)}`);
}

type BidText = Awaited<ReturnType<typeof readBid>>;

const readBid = (scope: Scope, bidId: string) => scope.read(onchainBids.get, { bidId });

/** The best on-chain bid with a status. */
async function bestBid(scope: Scope, intentId: bigint, status: "open" | "selected"): Promise<BidText> {
  const { bids } = await scope.read(onchainBids.list, { id: String(intentId), status });
  const found = bids.find(({ source }) => source === "onchain");
  if (found) return found;
  throw new NotFound(
    status === "open"
      ? `Intent ${intentId} has no open bid on chain`
      : `No bid is selected for intent ${intentId}; its owner must select one first`,
  );
}

const amountsOf = ({ amount_in, amount_out, fee }: BidText) => ({
  amountIn: BigInt(amount_in),
  amountOut: BigInt(amount_out),
  fee: BigInt(fee),
});

/** An unrevoked attestation that an intent requires; 0 if it requires none. */
async function attestationFor(scope: Scope, { execution }: Intent): Promise<bigint> {
  const { required_attestation_subject: subject, required_attestation_schema: schema } = execution;
  if (subject === null && schema === null) return 0n;
  const { attestations: found } = await scope.read(attestations.list, {
    ...(subject !== null && { subject }),
    ...(schema !== null && { schema }),
    revoked: "false",
    limit: 1,
  });
  const [first] = found;
  if (!first) throw new NotFound("The attestation that the intent requires does not exist, or is revoked");
  return BigInt(first.attestation_id);
}

export const intentActions = {
  submitIntent: book("submitIntent", {
    title: "Prepares a swap intent: first to sign, then to send.",
    description: "Without `signature`, the answer has the typed data to sign and the input for the second call.",
    fields: intentFields,
    hidden: ["r", "s"],
    example: { from: alice, amount_in_max: "1,000 tUSD", amount_out_min: "990 tUSD", deadline: "2h" },
    async plan(input, scope) {
      const signable = await intentOf(input, scope);
      const described = await describeIntent(signable, scope);
      const typed = intentData(signable, scope);
      if (input.signature !== undefined) {
        const parts = signatureParts(input.signature);
        await checkSignature(typed, parts);
        return {
          summary: `Submit ${described}. Its signature has v ${parts.v}, r ${parts.r} and s ${parts.s}.`,
          args: { intent: signable, ...parts },
          next: {
            description: "Wait for bids of solvers, then select one.",
            action: "selectBid",
            input: { from: signable.owner },
          },
        };
      }
      return {
        summary: `Sign ${described}.`,
        typedData: typedDataOf(typed),
        next: {
          description: `Sign typed_data with the key of ${signable.owner}, then prepare the same action with this input and the signature.`,
          action: "submitIntent",
          input: { from: scope.from, ...inputOf(signable) },
        },
      };
    },
  }),

  cancelIntent: book("cancelIntent", {
    title: "Prepares the cancellation of an intent.",
    example: { from: alice, intent_id: "5" },
    async plan({ intent_id }, scope) {
      const found = await readIntent(scope, intent_id);
      const [given, wanted] = await Promise.all([
        scope.money(BigInt(found.amount_in_max), found.input_token as Address),
        scope.money(BigInt(found.amount_out_min), found.output_token as Address),
      ]);
      return { summary: `Cancel intent ${intent_id}, which gives at most ${given} for at least ${wanted}.` };
    },
  }),

  submitBid: book("submitBid", {
    title: "Prepares a bid on an intent.",
    fields: {
      amount_in: amountTerm
        .optional()
        .openapi({ description: "What the solver takes. Default: all that the intent gives." }),
      amount_out: amountTerm.openapi({ description: "What the solver pays." }),
      fee: id.optional().openapi({ description: "An integer whose token the parties agree on. Default: 0." }),
      valid_until: timeTerm
        .optional()
        .openapi({ description: "Unix seconds or a duration. Default: the deadline of the intent." }),
      execution_hash: optionalHash(
        "The execution that the bid commits to. By default the one that the intent requires.",
      ),
    },
    example: { from: solver, intent_id: "5", amount_out: "970000000" },
    async plan(input, scope) {
      const { intent_id } = input;
      const found = await readIntent(scope, intent_id);
      const [inputToken, outputToken] = [found.input_token as Address, found.output_token as Address];
      const amountIn = await scope.amount(
        "amount_in",
        input.amount_in ?? { raw: BigInt(found.amount_in_max) },
        inputToken,
      );
      const amountOut = await scope.amount("amount_out", input.amount_out, outputToken);
      const fee = input.fee ?? 0n;
      const executionHash = input.execution_hash ?? (found.execution.data_hash as Hex | null) ?? zeroHash;
      const deadline = BigInt(found.deadline);
      const validUntil = input.valid_until ? scope.time("valid_until", input.valid_until) : deadline;
      if (validUntil > deadline)
        throw new BadInput(`valid_until: must not be after the deadline of the intent, ${formatSecond(deadline)}`);
      await checkBid(scope, found, { amountIn, amountOut });
      const given = { amount: amountOut, token: outputToken };
      await scope.compareTrade(given, { amount: amountIn, token: inputToken }, "the solver");
      const offer = await describeBid(scope, found, { amountIn, amountOut, fee });
      return {
        summary: `Bid on intent ${intent_id} of ${found.owner}: pay ${offer}, valid until ${scope.until(validUntil)}, ${describeValues({ "execution hash": executionHash })}.`,
        args: { amountIn, amountOut, fee, validUntil, executionHash },
        next: {
          description: "Once the owner selects the bid, fill the intent before its deadline.",
          action: "fillIntent",
          input: { from: scope.from, intent_id: String(intent_id) },
        },
      };
    },
  }),

  selectBid: book("selectBid", {
    title: "Prepares the selection of a bid by the intent's owner.",
    fields: { bid_id: id.optional().openapi({ description: "Default: the best open bid on chain." }) },
    example: { from: alice, intent_id: "5", bid_id: "3" },
    async plan({ intent_id, bid_id }, scope) {
      const found = await readIntent(scope, intent_id);
      const chosen =
        bid_id === undefined ? await bestBid(scope, intent_id, "open") : await readBid(scope, `${intent_id}-${bid_id}`);
      const { solver, chain_bid_id, valid_until } = chosen;
      await scope.checkParticipant("solver", solver);
      const amounts = amountsOf(chosen);
      const given = { amount: amounts.amountIn, token: found.input_token as Address };
      await scope.compareTrade(given, { amount: amounts.amountOut, token: found.output_token as Address }, "the owner");
      const offer = await describeBid(scope, found, amounts);
      return {
        summary: `Select bid ${chain_bid_id} on intent ${intent_id}: the solver ${solver} pays ${offer}, valid until ${scope.until(BigInt(valid_until))}.`,
        args: { bidId: BigInt(chain_bid_id ?? 0) },
        next: { description: "The solver fills the intent. Follow its events.", action: null, input: null },
      };
    },
  }),

  fillIntent: book("fillIntent", {
    title: "Prepares the fill of an intent by its selected solver.",
    description: "The amounts are those of the selected bid.",
    fields: {
      execution_data: bytes.optional().openapi({ description: "Default: empty." }),
      result_hash: optionalHash("The hash of the result."),
      trace_hash: optionalHash("The hash of the trace."),
      attestation_id: id.optional().openapi({ description: "Default: one that the intent requires." }),
    },
    example: { from: solver, intent_id: "3" },
    async plan(input, scope) {
      const { intent_id } = input;
      const found = await readIntent(scope, intent_id);
      const selected = await bestBid(scope, intent_id, "selected");
      const { amountIn, amountOut, fee } = amountsOf(selected);
      const attestationId = input.attestation_id ?? (await attestationFor(scope, found));
      const offer = await describeBid(scope, found, { amountIn, amountOut, fee });
      const {
        execution_data: executionData = "0x",
        result_hash: resultHash = zeroHash,
        trace_hash: traceHash = zeroHash,
      } = input;
      const proof = attestationId === 0n ? "without an attestation" : `with attestation ${attestationId}`;
      const values = describeValues({
        "execution data": executionData,
        "result hash": resultHash,
        "trace hash": traceHash,
      });
      return {
        summary: `Fill intent ${intent_id} of ${found.owner} as ${selected.solver}: ${offer}, ${proof}, before ${scope.until(BigInt(found.deadline))}, ${values}. The contract records the fill; it moves no tokens.`,
        args: {
          fill: {
            amountIn,
            amountOut,
            solver: selected.solver as Address,
            executionData,
            resultHash,
            traceHash,
            attestationId,
          },
        },
      };
    },
  }),
};
