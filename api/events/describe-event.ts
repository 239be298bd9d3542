import { zeroAddress } from "viem";
import { formatAmount, formatTime } from "../../common/format";
import { quotedText } from "../../common/text";
import { disputeStatuses, paymentRails, signalKinds, signalSubjects } from "../../ponder.schema";
import { type EventFacts, noFacts } from "./facts";
import type { EventName, ProtocolEvent } from "./protocol-events";

/** An argument as the event log keeps it. */
type Value = string | number | boolean;

/** The arguments of an event, by the names that its ABI gives them. */
type ArgumentsOf<Name extends EventName> = Record<
  Extract<ProtocolEvent, { name: Name }>["inputs"][number]["name"],
  Value
>;

/** A value of a contract's enum by its number, or the number itself if the enum has grown. */
const named = (names: readonly string[], number: Value) => names[Number(number)] ?? `#${number}`;

const through = (facilitator: Value) => (facilitator === zeroAddress ? "" : ` through facilitator ${facilitator}`);

/** The rail and the facilitator of a payment. The rail of a facilitator has no other name. */
const paidBy = (rail: Value, facilitator: Value) =>
  named(paymentRails, rail) === "facilitator" && facilitator !== zeroAddress
    ? through(facilitator).trimStart()
    : `by ${named(paymentRails, rail)}${through(facilitator)}`;

const activity = (active: Value) => (active ? "active" : "inactive");

/** Text from the chain is of any length and content: in a sentence it is quoted, in one line, and cut when long. */
const quoted = (text: Value) => quotedText(String(text));

/** Symbols that can't be mistaken for other words of a sentence. */
const PLAIN_SYMBOL = /^[\p{Script=Latin}\p{N}$₮._+-]{1,16}$/u;

/** A token by its symbol. Any contract can have any symbol, so only a listed token is named without its address. */
function tokenName(address: Value, { tokens }: EventFacts): string {
  const { symbol = null, source } = tokens.get(String(address)) ?? {};
  if (symbol === null) return address === zeroAddress ? "the native coin" : `token ${address}`;
  if (source === "list") return symbol;
  return `${PLAIN_SYMBOL.test(symbol) ? symbol : quoted(symbol)} (token ${address})`;
}

/** The number of whole tokens, or of the smallest units if the token's decimals are unknown. */
function numberOf(amount: Value, address: Value, { tokens }: EventFacts): string {
  const decimals = tokens.get(String(address))?.decimals ?? null;
  return decimals === null ? String(amount) : formatAmount(BigInt(amount), decimals);
}

/** An amount with its token, such as "950.00 TUSD", or "950000000 of token 0x…" if the token is unknown. */
function amountOf(amount: Value, address: Value, facts: EventFacts): string {
  const { symbol = null, decimals = null } = facts.tokens.get(String(address)) ?? {};
  if (decimals === null && symbol !== null) return `${amount} units of ${tokenName(address, facts)}`;
  const name = tokenName(address, facts);
  return `${numberOf(amount, address, facts)} ${symbol === null ? `of ${name}` : name}`;
}

/** A limit, where 0 means there is none. */
const upTo = (limit: Value, address: Value, facts: EventFacts) =>
  limit === "0" ? "any amount" : `at most ${numberOf(limit, address, facts)}`;

/** The amounts of a bid or fill, in the tokens of its intent. */
function swapOf(
  { intentId, amountIn, amountOut }: Record<"intentId" | "amountIn" | "amountOut", Value>,
  facts: EventFacts,
) {
  const intent = facts.intents.get(String(intentId));
  if (!intent) return `${amountIn} in, ${amountOut} out`;
  return `${amountOf(amountIn, intent.inputToken, facts)} in, ${amountOf(amountOut, intent.outputToken, facts)} out`;
}

const timeOf = (unixSeconds: Value) => formatTime(BigInt(unixSeconds));

/** The sentence about each event. An event without one does not compile. */
const descriptions: { [Name in EventName]: (args: ArgumentsOf<Name>, facts: EventFacts) => string } = {
  AgentRegistered: ({ agentId, owner, metadataURI }) =>
    `Agent #${agentId} registered by ${owner}, with metadata at ${quoted(metadataURI)}`,
  AgentUpdated: ({ agentId, metadataURI }) => `Agent #${agentId} updated: its metadata is at ${quoted(metadataURI)}`,
  AgentRevoked: ({ agentId }) => `Agent #${agentId} revoked by its owner`,

  IntentSubmitted: ({ intentId, owner, nonce }) => `Intent #${intentId} submitted by ${owner} with nonce ${nonce}`,
  IntentCancelled: ({ intentId }) => `Intent #${intentId} cancelled by its owner`,
  IntentFilled: ({ intentId, solver, amountIn, amountOut }, facts) =>
    `Intent #${intentId} filled by ${solver}: ${swapOf({ intentId, amountIn, amountOut }, facts)}`,
  IntentFillProof: ({ intentId, resultHash, attestationId }) =>
    `The fill of intent #${intentId} has the result ${resultHash}${attestationId === "0" ? "" : ` and attestation #${attestationId}`}`,
  // The fee is an integer whose token the contract does not define; the parties agree on it.
  SolverBidSubmitted: ({ intentId, bidId, solver, amountIn, amountOut, fee, validUntil }, facts) =>
    `Bid #${bidId} on intent #${intentId} by ${solver}: ${swapOf({ intentId, amountIn, amountOut }, facts)}, fee ${fee}, valid until ${timeOf(validUntil)}`,
  SolverBidSelected: ({ intentId, bidId, solver }) =>
    `Bid #${bidId} by ${solver} selected for intent #${intentId} by its owner`,

  SpendLimitSet: ({ account, token, maxPerDay }, facts) =>
    `${account} may spend ${maxPerDay === "0" ? `any amount of ${tokenName(token, facts)}` : `at most ${amountOf(maxPerDay, token, facts)}`} a day`,
  TargetAllowlistUpdated: ({ account, target, allowed }) =>
    `${account} may ${allowed ? "now" : "no longer"} call ${target}`,
  FunctionAllowlistUpdated: ({ account, target, selector, allowed }) =>
    `${account} may ${allowed ? "now" : "no longer"} call function ${selector} of ${target}`,
  FunctionAllowlistModeUpdated: ({ account, enabled }) =>
    enabled ? `${account} may call allowed functions only` : `${account} may call any function of an allowed target`,
  SpendRecorded: ({ account, token, amount, dailyTotal }, facts) =>
    `${account} spent ${amountOf(amount, token, facts)}, ${numberOf(dailyTotal, token, facts)} today`,
  PaymentPolicySet: ({ account, merchant, token, facilitator, maxPerPayment, maxPerDay, allowed }, facts) =>
    allowed
      ? `${account} may pay ${merchant} in ${tokenName(token, facts)}${through(facilitator)}: ${upTo(maxPerPayment, token, facts)} a payment, ${upTo(maxPerDay, token, facts)} a day`
      : `${account} may no longer pay ${merchant} in ${tokenName(token, facts)}${through(facilitator)}`,
  SignedPaymentRecorded: ({ account, merchant, token, facilitator, amount, dailyTotal }, facts) =>
    `${account} paid ${merchant} ${amountOf(amount, token, facts)}${through(facilitator)}, ${numberOf(dailyTotal, token, facts)} today`,
  GuardianSet: ({ account, guardian }) =>
    guardian === zeroAddress ? `${account} has no guardian any more` : `${guardian} is now the guardian of ${account}`,
  AccountFrozen: ({ account, frozen }) => `${account} is ${frozen ? "frozen" : "no longer frozen"}`,

  AttestationSubmitted: ({ id, attester, schema, subject }) =>
    `Attestation #${id} by ${attester} about ${subject}, under schema ${schema}`,
  AttestationRevoked: ({ id }) => `Attestation #${id} revoked by its attester`,
  AttestorRegistered: ({ attestorId, operator }) => `Attestor #${attestorId} registered by ${operator}`,
  AttestorUpdated: ({ attestorId, active }) => `Attestor #${attestorId} updated, ${activity(active)}`,
  SolverRegistered: ({ solverId, operator, bond }, facts) =>
    `Solver #${solverId} registered by ${operator} with a bond of ${amountOf(bond, zeroAddress, facts)}`,
  SolverUpdated: ({ solverId, active }) => `Solver #${solverId} updated, ${activity(active)}`,
  SolverBondChanged: ({ solverId, bond }, facts) =>
    `The bond of solver #${solverId} is now ${amountOf(bond, zeroAddress, facts)}`,

  MerchantRegistered: ({ merchantId, owner, payoutAddress }) =>
    `Merchant #${merchantId} registered by ${owner}, paid at ${payoutAddress}`,
  MerchantUpdated: ({ merchantId, payoutAddress, active }) =>
    `Merchant #${merchantId} updated, ${activity(active)}, paid at ${payoutAddress}`,
  ServiceRegistered: ({ serviceNumericId, merchantId, serviceId }) =>
    `Service #${serviceNumericId} (${quoted(serviceId)}) registered by merchant #${merchantId}`,
  ServiceUpdated: ({ serviceNumericId, active }) => `Service #${serviceNumericId} updated, ${activity(active)}`,
  FacilitatorRegistered: ({ facilitatorId, facilitator }) =>
    `Facilitator #${facilitatorId} registered with address ${facilitator}`,
  FacilitatorUpdated: ({ facilitatorId, facilitator, active }) =>
    `Facilitator #${facilitatorId} (${facilitator}) updated, ${activity(active)}`,
  QuoteCommitted: ({ quoteHash, merchantId, serviceNumericId, agent, token, amount, paymentRail, expiresAt }, facts) =>
    `Merchant #${merchantId} quoted agent ${agent} ${amountOf(amount, token, facts)} by ${named(paymentRails, paymentRail)} for service #${serviceNumericId}, until ${timeOf(expiresAt)} (quote ${quoteHash})`,
  ReceiptRecorded: (
    { receiptId, agent, merchantId, serviceNumericId, token, amount, paymentRail, facilitator },
    facts,
  ) =>
    `Receipt #${receiptId}: agent ${agent} paid merchant #${merchantId} ${amountOf(amount, token, facts)} ${paidBy(paymentRail, facilitator)} for service #${serviceNumericId}`,
  FulfillmentRecorded: ({ receiptId, fulfillmentHash }) => `Receipt #${receiptId} fulfilled with ${fulfillmentHash}`,
  DisputeOpened: ({ disputeId, receiptId, opener }) =>
    `Dispute #${disputeId} about receipt #${receiptId} opened by ${opener}`,
  DisputeResolved: ({ disputeId, status }) =>
    `Dispute #${disputeId} is now ${named(disputeStatuses, status).toLowerCase()}`,
  TrustSignalRecorded: ({ signalId, subjectType, subjectId, kind, reporter }) =>
    `Trust signal #${signalId} by ${reporter}: ${named(signalKinds, kind)} of ${named(signalSubjects, subjectType)} #${subjectId}`,

  // Anyone can name any quote hash, so the sentence does not say that the quote exists.
  SettlementExecuted: ({ quoteHash, payer, token, grossAmount, executionHash }, facts) =>
    `${payer} paid ${amountOf(grossAmount, token, facts)} for quote ${quoteHash} (settlement ${executionHash})`,
};

const isEventName = (name: string): name is EventName => Object.hasOwn(descriptions, name);

/**
 * Says in a sentence what an event means. Amounts of tokens that `facts` does not have are in their smallest units.
 *
 * @example
 * describeEvent("AgentRevoked", { agentId: "7" }) // "Agent #7 revoked by its owner"
 */
export function describeEvent(
  name: string,
  args: Readonly<Record<string, Value>>,
  facts: EventFacts = noFacts,
): string {
  if (!isEventName(name)) throw new Error(`${name} is not an event of the protocol`);
  return descriptions[name](args as ArgumentsOf<EventName>, facts);
}
