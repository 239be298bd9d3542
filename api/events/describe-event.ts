import { zeroAddress } from "viem";
import type { ContractName, protocolAbis } from "../../config/contracts";
import { disputeStatuses, paymentRails, signalKinds, signalSubjects } from "../../ponder.schema";

type ProtocolEvent = {
  [Name in ContractName]: Extract<(typeof protocolAbis)[Name][number], { type: "event" }>;
}[ContractName];

/** OpenZeppelin's event about the signing domain is part of the ABI but says nothing of the protocol, and is not indexed. */
type EventName = Exclude<ProtocolEvent["name"], "EIP712DomainChanged">;

/** An argument as the event log keeps it. */
type Value = string | number | boolean;

/** The arguments of an event, by the names that its ABI gives them. */
type ArgumentsOf<Name extends EventName> = Record<
  Extract<ProtocolEvent, { name: Name }>["inputs"][number]["name"],
  Value
>;

/** A value of a contract's enum by its number, or the number itself if the enum has grown. */
const named = (names: readonly string[], number: Value) => names[Number(number)] ?? `#${number}`;

const token = (address: Value) => (address === zeroAddress ? "the native coin" : `token ${address}`);

/** A limit, where 0 means there is none. */
const upTo = (limit: Value) => (limit === "0" ? "any amount" : `at most ${limit}`);

const through = (facilitator: Value) => (facilitator === zeroAddress ? "" : ` through facilitator ${facilitator}`);

const activity = (active: Value) => (active ? "active" : "inactive");

/** Control characters, line separators and text direction marks that JSON leaves as they are. */
const UNESCAPED = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** The longest text that is shown as a whole. */
const MAX_CHARACTERS = 80;

/** Text from the chain is of any length and content: in a sentence it is quoted, in one line, and cut when long. */
const quoted = (text: Value) => {
  // A character has at most two code units.
  const characters = [...String(text).slice(0, 2 * (MAX_CHARACTERS + 1))];
  const shown = characters.length > MAX_CHARACTERS ? `${characters.slice(0, MAX_CHARACTERS).join("")}…` : String(text);
  return JSON.stringify(shown).replace(UNESCAPED, escaped);
};

const descriptions: { [Name in EventName]: (args: ArgumentsOf<Name>) => string } = {
  AgentRegistered: ({ agentId, owner, metadataURI }) =>
    `Agent #${agentId} registered by ${owner}, with metadata at ${quoted(metadataURI)}`,
  AgentUpdated: ({ agentId, metadataURI }) => `Agent #${agentId} updated: its metadata is at ${quoted(metadataURI)}`,
  AgentRevoked: ({ agentId }) => `Agent #${agentId} revoked by its owner`,

  IntentSubmitted: ({ intentId, owner, nonce }) => `Intent #${intentId} submitted by ${owner} with nonce ${nonce}`,
  IntentCancelled: ({ intentId }) => `Intent #${intentId} cancelled by its owner`,
  IntentFilled: ({ intentId, solver, amountIn, amountOut }) =>
    `Intent #${intentId} filled by ${solver}: ${amountIn} in, ${amountOut} out`,
  IntentFillProof: ({ intentId, resultHash, attestationId }) =>
    `The fill of intent #${intentId} has the result ${resultHash}${attestationId === "0" ? "" : ` and attestation #${attestationId}`}`,
  SolverBidSubmitted: ({ intentId, bidId, solver, amountIn, amountOut, fee, validUntil }) =>
    `Bid #${bidId} on intent #${intentId} by ${solver}: ${amountIn} in, ${amountOut} out, fee ${fee}, valid until ${validUntil}`,
  SolverBidSelected: ({ intentId, bidId, solver }) =>
    `Bid #${bidId} by ${solver} selected for intent #${intentId} by its owner`,

  SpendLimitSet: ({ account, token: spent, maxPerDay }) =>
    `${account} may spend ${upTo(maxPerDay)} of ${token(spent)} a day`,
  TargetAllowlistUpdated: ({ account, target, allowed }) =>
    `${account} may ${allowed ? "now" : "no longer"} call ${target}`,
  FunctionAllowlistUpdated: ({ account, target, selector, allowed }) =>
    `${account} may ${allowed ? "now" : "no longer"} call function ${selector} of ${target}`,
  FunctionAllowlistModeUpdated: ({ account, enabled }) =>
    enabled ? `${account} may call allowed functions only` : `${account} may call any function of an allowed target`,
  SpendRecorded: ({ account, token: spent, amount, dailyTotal }) =>
    `${account} spent ${amount} of ${token(spent)}, ${dailyTotal} today`,
  PaymentPolicySet: ({ account, merchant, token: spent, facilitator, maxPerPayment, maxPerDay, allowed }) =>
    allowed
      ? `${account} may pay ${merchant} in ${token(spent)}${through(facilitator)}: ${upTo(maxPerPayment)} a payment, ${upTo(maxPerDay)} a day`
      : `${account} may no longer pay ${merchant} in ${token(spent)}${through(facilitator)}`,
  SignedPaymentRecorded: ({ account, merchant, token: spent, facilitator, amount, dailyTotal }) =>
    `${account} paid ${merchant} ${amount} of ${token(spent)}${through(facilitator)}, ${dailyTotal} today`,
  GuardianSet: ({ account, guardian }) =>
    guardian === zeroAddress ? `${account} has no guardian any more` : `${guardian} is now the guardian of ${account}`,
  AccountFrozen: ({ account, frozen }) => `${account} is ${frozen ? "frozen" : "no longer frozen"}`,

  AttestationSubmitted: ({ id, attester, schema, subject }) =>
    `Attestation #${id} by ${attester} about ${subject}, under schema ${schema}`,
  AttestationRevoked: ({ id }) => `Attestation #${id} revoked by its attester`,
  AttestorRegistered: ({ attestorId, operator }) => `Attestor #${attestorId} registered by ${operator}`,
  AttestorUpdated: ({ attestorId, active }) => `Attestor #${attestorId} updated, ${activity(active)}`,
  SolverRegistered: ({ solverId, operator, bond }) =>
    `Solver #${solverId} registered by ${operator} with a bond of ${bond}`,
  SolverUpdated: ({ solverId, active }) => `Solver #${solverId} updated, ${activity(active)}`,
  SolverBondChanged: ({ solverId, bond }) => `The bond of solver #${solverId} is now ${bond}`,

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
  QuoteCommitted: ({ quoteHash, merchantId, serviceNumericId, agent, token: spent, amount, paymentRail, expiresAt }) =>
    `Merchant #${merchantId} quoted agent ${agent} ${amount} of ${token(spent)} by ${named(paymentRails, paymentRail)} for service #${serviceNumericId}, until ${expiresAt} (quote ${quoteHash})`,
  ReceiptRecorded: ({
    receiptId,
    agent,
    merchantId,
    serviceNumericId,
    token: spent,
    amount,
    paymentRail,
    facilitator,
  }) =>
    `Receipt #${receiptId}: agent ${agent} paid merchant #${merchantId} ${amount} of ${token(spent)} by ${named(paymentRails, paymentRail)}${through(facilitator)} for service #${serviceNumericId}`,
  FulfillmentRecorded: ({ receiptId, fulfillmentHash }) => `Receipt #${receiptId} fulfilled with ${fulfillmentHash}`,
  DisputeOpened: ({ disputeId, receiptId, opener }) =>
    `Dispute #${disputeId} about receipt #${receiptId} opened by ${opener}`,
  DisputeResolved: ({ disputeId, status }) =>
    `Dispute #${disputeId} is now ${named(disputeStatuses, status).toLowerCase()}`,
  TrustSignalRecorded: ({ signalId, subjectType, subjectId, kind, reporter }) =>
    `Trust signal #${signalId} by ${reporter}: ${named(signalKinds, kind)} of ${named(signalSubjects, subjectType)} #${subjectId}`,
};

const isEventName = (name: string): name is EventName => Object.hasOwn(descriptions, name);

/**
 * Says in a sentence what an event means.
 *
 * @example
 * describeEvent("AgentRevoked", { agentId: "7" }) // "Agent #7 revoked by its owner"
 */
export function describeEvent(name: string, args: Readonly<Record<string, Value>>): string {
  if (!isEventName(name)) throw new Error(`${name} is not an event of the protocol`);
  return descriptions[name](args as ArgumentsOf<EventName>);
}
