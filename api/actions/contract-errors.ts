import {
  type Abi,
  type AbiParameterToPrimitiveType,
  BaseError,
  decodeErrorResult,
  type Hex,
  isAddress,
  parseAbi,
} from "viem";
import {
  agentRegistryAbi,
  attestationRegistryAbi,
  attestorRegistryAbi,
  commerceRegistryAbi,
  intentBookAbi,
  policyAccountAbi,
  policyModuleAbi,
  settlementAdapterAbi,
  solverRegistryAbi,
} from "../../abis/index";
import type { ContractName } from "../../config/contracts";

/** Why a call reverts, in a sentence, and what its sender can do about it. */
export type Revert = { error: string; reason: string; fix: string | null };

/** The function that is called, with its arguments by name. A recipient of the native coin has none. */
export type Called = {
  contract: ContractName | "token" | "recipient";
  name: string;
  args: Readonly<Record<string, unknown>>;
};

type Explanation = readonly [reason: string, fix: string | null];

type ErrorOf<Declared extends Abi> = Extract<Declared[number], { type: "error" }>;

type ArgumentsOf<Declared extends Abi, Name extends string> = {
  [Input in Extract<ErrorOf<Declared>, { name: Name }>["inputs"][number] as Input["name"] &
    string]: AbiParameterToPrimitiveType<Input>;
};

/** The explanation of each error of a contract. An error without one does not compile. */
type Explanations<Declared extends Abi> = {
  [Name in ErrorOf<Declared>["name"]]: (args: ArgumentsOf<Declared, Name>, called: Called) => Explanation;
};

const OTHER_SENDER = "Send it from that account.";
const CHECK_ID = "Check the id.";

/** Errors of the library for short strings, which no function of the protocol can reach with an input of its own. */
const unreachable: Readonly<Record<"InvalidShortString" | "StringTooLong", () => Explanation>> = {
  InvalidShortString: () => ["The contract's name or version is damaged.", null],
  StringTooLong: () => ["The contract's name or version is too long.", null],
};

const agentRegistry: Explanations<typeof agentRegistryAbi> = {
  Unauthorized: (_, { args }) => [`Only the owner of agent ${args.agentId} can change it.`, OTHER_SENDER],
  AgentNotFound: (_, { args }) => [`Agent ${args.agentId} does not exist.`, CHECK_ID],
  AgentAlreadyRevoked: (_, { args }) => [
    `Agent ${args.agentId} is revoked, and cannot be changed any more.`,
    "Register a new agent.",
  ],
};

const attestationRegistry: Explanations<typeof attestationRegistryAbi> = {
  Unauthorized: (_, { args }) => [
    `Only the attester of attestation ${args.attestationId} can revoke it.`,
    OTHER_SENDER,
  ],
  AttestationNotFound: (_, { args }) => [`Attestation ${args.attestationId} does not exist.`, CHECK_ID],
  AlreadyRevoked: (_, { args }) => [`Attestation ${args.attestationId} is revoked already.`, null],
};

const attestorRegistry: Explanations<typeof attestorRegistryAbi> = {
  Unauthorized: (_, { args }) => [`Only the operator of attestor ${args.attestorId} can change it.`, OTHER_SENDER],
  AttestorNotFound: (_, { args }) => [`Attestor ${args.attestorId} does not exist.`, CHECK_ID],
  AttestorAlreadyRegistered: () => [
    "The sender operates an attestor already, and each account can operate one.",
    "Update that attestor, or register from another account.",
  ],
};

const solverRegistry: Explanations<typeof solverRegistryAbi> = {
  Unauthorized: (_, { args }) => [`Only the operator of solver ${args.solverId} can do this.`, OTHER_SENDER],
  SolverNotFound: (_, { args }) => [`Solver ${args.solverId} does not exist.`, CHECK_ID],
  SolverAlreadyRegistered: () => [
    "The sender operates a solver already, and each account can operate one.",
    "Update that solver, or register from another account.",
  ],
  SolverInactive: (_, { args }) => [
    `Solver ${args.solverId} is active, and its bond can only be withdrawn while it is not.`,
    "Update the solver to be inactive first.",
  ],
  InsufficientBalance: ({ balance, needed }) => [`The registry has ${balance} wei, and ${needed} are needed.`, null],
  FailedCall: () => ["The operator's account rejects the native coin.", "Operate the solver from another account."],
  ReentrancyGuardReentrantCall: () => ["The function is called from within itself.", null],
};

const intentOwner: Readonly<Record<string, string>> = { cancelIntent: "cancel it", selectBid: "select a bid" };

const intentBook: Explanations<typeof intentBookAbi> = {
  ...unreachable,
  Unauthorized: (_, { name, args }) =>
    name in intentOwner
      ? [
          `Only the owner of intent ${args.intentId} can ${intentOwner[name]}, or the intent does not exist.`,
          OTHER_SENDER,
        ]
      : [`Only the solver of the selected bid can fill intent ${args.intentId}.`, OTHER_SENDER],
  InvalidNonce: () => [
    "The owner has used this nonce before.",
    "Prepare the intent without a nonce, and sign it again.",
  ],
  InvalidSignature: () => [
    "The signature is not one of the intent's owner over exactly these fields.",
    "Sign the typed data with the owner's key, and prepare the action again with the signature.",
  ],
  InvalidDeadline: () => ["The deadline of the intent is not in the future.", "Choose a later one, and sign again."],
  InvalidSlippage: () => ["The slippage is more than 10000 basis points.", "Choose at most 10000, and sign again."],
  IntentNotOpen: (_, { args }) => [
    `Intent ${args.intentId} is not open: it is filled or cancelled, or does not exist.`,
    "Choose an open intent.",
  ],
  IntentExpired: (_, { args }) => [`Intent ${args.intentId} is past its deadline.`, "Submit a new intent."],
  InvalidBid: () => [
    "The end of the bid is not between now and the deadline of the intent.",
    "Choose a valid_until between them.",
  ],
  ConstraintViolation: (_, { name, args }) =>
    name === "fillIntent"
      ? ["The amounts are not exactly those of the selected bid.", "Use the amounts of the bid."]
      : [
          `The bid takes more or pays less than intent ${args.intentId} allows.`,
          "Take at most amount_in_max, and pay at least amount_out_min.",
        ],
  BidNotFound: (_, { args }) => [`Intent ${args.intentId} has no bid ${args.bidId}.`, "Choose one of its bids."],
  BidExpired: (_, { name, args }) =>
    name === "fillIntent"
      ? [`The selected bid on intent ${args.intentId} expired.`, "Its owner can select another one."]
      : [`Bid ${args.bidId} on intent ${args.intentId} expired.`, "Select another one."],
  BidNotSelected: () => ["The solver of the fill is not the solver of the selected bid.", "Use that solver's address."],
  SelectedBidRequired: (_, { args }) => [
    `No bid is selected for intent ${args.intentId}.`,
    "Its owner must select one before it can be filled.",
  ],
  ExecutionCommitmentMismatch: (_, { args }) => [
    `Intent ${args.intentId} requires an execution that the selected bid did not commit to.`,
    "Its owner must select a bid whose execution_hash is the intent's data_hash.",
  ],
  RequiredAttestationMissing: (_, { args }) => [
    `Intent ${args.intentId} requires an attestation, and attestation ${fillOf(args).attestationId ?? 0} is not it, or is revoked.`,
    "Name an unrevoked attestation with the required subject and schema.",
  ],
};

const fillOf = ({ fill }: Called["args"]) => (fill ?? {}) as { attestationId?: bigint };

const policyModule: Explanations<typeof policyModuleAbi> = {
  Unauthorized: () => ["Only the account or its guardian can freeze and unfreeze it.", OTHER_SENDER],
  AccountFrozenError: ({ account }) => [
    `The account ${account} is frozen.`,
    "Its guardian or the account can unfreeze it.",
  ],
  TargetNotAllowed: ({ target }) => [`The account may not call ${target}.`, "Allow the target first."],
  FunctionNotAllowed: ({ target, selector }) => [
    `The account may not call the function ${selector} of ${target}.`,
    "Allow the function first.",
  ],
  DailySpendLimitExceeded: ({ token, attempted, remaining }) => [
    `The account would spend ${attempted} of token ${token}, and ${remaining} remain today.`,
    "Wait a day, or raise the limit.",
  ],
  PaymentNotAllowed: ({ merchant, token, facilitator }) => [
    `The account may not pay ${merchant} in token ${token} through ${facilitator}.`,
    "Set a payment policy that allows it.",
  ],
  PaymentAmountExceeded: ({ token, attempted, remaining }) => [
    `The account would pay ${attempted} of token ${token}, and its payment policy allows ${remaining}.`,
    "Pay less, or raise the limit.",
  ],
  PaymentAlreadyRecorded: ({ paymentHash }) => [`The payment ${paymentHash} is recorded already.`, null],
};

const policyAccount: Explanations<typeof policyAccountAbi> = {
  Unauthorized: () => ["Only the signer of the policy account can do this.", OTHER_SENDER],
  FailedCall: (_, { contract }) => [
    contract === "recipient"
      ? "The policy account has too little of the native coin, or the recipient rejects it."
      : "The call that the policy account makes reverts without a reason.",
    null,
  ],
};

const commerceRoles: Readonly<Record<string, (args: Called["args"]) => string>> = {
  updateMerchant: ({ merchantId }) => `the owner of merchant ${merchantId} can change it`,
  registerService: ({ merchantId }) => `the owner of merchant ${merchantId} can register its services`,
  updateService: () => "the owner of its merchant can change a service",
  updateFacilitator: ({ facilitatorId }) => `facilitator ${facilitatorId} and who registered it can change it`,
  commitQuote: () => "the owner of the merchant can commit its quotes",
  recordReceipt: () => "the quote's facilitator, or without one the merchant or the agent, can record the receipt",
  recordFulfillment: ({ receiptId }) =>
    `the merchant or facilitator of receipt ${receiptId} can record its fulfillment`,
  openDispute: ({ receiptId }) => `the agent and the merchant of receipt ${receiptId} can dispute it`,
  resolveDispute: ({ disputeId }) =>
    `the merchant of dispute ${disputeId} can decide it, and only as resolved or rejected`,
};

const commerceRegistry: Explanations<typeof commerceRegistryAbi> = {
  Unauthorized: (_, { name, args }) => [
    `Only ${commerceRoles[name]?.(args) ?? "another account can do this"}.`,
    OTHER_SENDER,
  ],
  MerchantNotFound: (_, { args }) => [`Merchant ${args.merchantId ?? "of this id"} does not exist.`, CHECK_ID],
  ServiceNotFound: () => ["The service does not exist, or belongs to another merchant.", CHECK_ID],
  FacilitatorNotFound: () => ["The facilitator is not registered.", "Register it, or choose another rail."],
  FacilitatorInactive: () => ["The facilitator is not active.", "Choose an active one, or another rail."],
  QuoteNotFound: (_, { args }) => [
    `Quote ${args.quoteHash} is not committed on chain.`,
    "The merchant must commit it.",
  ],
  QuoteExpired: () => ["The quote expired.", "Ask the merchant for a new one."],
  QuoteAlreadySettled: (_, { args }) => [`Quote ${args.quoteHash} has a receipt already.`, null],
  ReceiptNotFound: (_, { args }) => [`Receipt ${args.receiptId} does not exist.`, CHECK_ID],
  DisputeNotFound: (_, { args }) => [`Dispute ${args.disputeId} does not exist.`, CHECK_ID],
};

const settlementAdapter: Explanations<typeof settlementAdapterAbi> = {
  EmptyQuoteHash: () => ["The settlement names no quote.", "Give a quote_hash that is not zero."],
  EmptySettlementPlanHash: () => ["The settlement names no plan.", "Give a settlement_plan_hash that is not zero."],
  DeadlineExpired: () => ["The deadline of the settlement is over.", "Choose a later one."],
  PayerMismatch: () => ["The payer of the settlement is not its sender.", OTHER_SENDER],
  NoSettlementLines: () => ["The settlement has no lines.", "Add a line for each recipient."],
  InvalidRecipient: () => ["A line of the settlement has no recipient.", "Give each line a recipient."],
  InvalidLineToken: () => ["A line has another token than the settlement.", "Use one token for all lines."],
  InvalidLineAmount: () => ["A line of the settlement has no amount.", "Give each line an amount."],
  InvalidNativeValue: () => ["The value of the transaction is not the whole amount.", "Send exactly the amount."],
  InvalidERC20Value: () => ["The transaction sends the native coin, and pays with a token.", "Send no value."],
  LineTotalMismatch: () => ["The lines do not add up to the amount.", "Correct the lines or the amount."],
  NativeTransferFailed: () => ["A recipient rejects the native coin.", "Pay that recipient with a token."],
  SafeERC20FailedOperation: ({ token }) => [`A transfer of token ${token} fails.`, "Check its balance and approval."],
};

const tokenAbi = parseAbi([
  "error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)",
  "error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)",
  "error ERC20InvalidReceiver(address receiver)",
  "error ERC20InvalidSpender(address spender)",
]);

const token: Explanations<typeof tokenAbi> = {
  ERC20InsufficientBalance: ({ sender, balance, needed }) => [
    `The token says that ${sender} has ${balance} of it in its smallest unit, and ${needed} are needed.`,
    "Get more of the token, or use less.",
  ],
  ERC20InsufficientAllowance: ({ spender, allowance, needed }) => [
    `The token says that ${spender} may take ${allowance} of it in its smallest unit, and ${needed} are needed.`,
    "Approve the amount first.",
  ],
  ERC20InvalidReceiver: ({ receiver }) => [
    `The token says that it can't be sent to ${receiver}.`,
    "Choose another recipient.",
  ],
  ERC20InvalidSpender: ({ spender }) => [
    `The token says that ${spender} can't be approved.`,
    "Choose another spender.",
  ],
};

/** The errors of each contract. */
const contracts = {
  AgentRegistry: [agentRegistryAbi, agentRegistry],
  AttestationRegistry: [attestationRegistryAbi, attestationRegistry],
  AttestorRegistry: [attestorRegistryAbi, attestorRegistry],
  SolverRegistry: [solverRegistryAbi, solverRegistry],
  IntentBook: [intentBookAbi, intentBook],
  PolicyModule: [policyModuleAbi, policyModule],
  CommerceRegistry: [commerceRegistryAbi, commerceRegistry],
  SettlementAdapter: [settlementAdapterAbi, settlementAdapter],
  token: [tokenAbi, token],
  account: [policyAccountAbi, policyAccount],
} as const satisfies Record<ContractName | "token" | "account", readonly [Abi, object]>;

/** Addresses are in lower case, as everywhere in the API. */
const shown = (value: unknown) => (typeof value === "string" && isAddress(value) ? value.toLowerCase() : value);

/** An error with its arguments by name. */
export type DecodedError = { name: string; args: Readonly<Record<string, unknown>> };

/** The error that data encodes, of an ABI or of Solidity itself. Undefined for other data. */
export function decodeError(abi: Abi, data: Hex): DecodedError | undefined {
  try {
    const { errorName, args = [], abiItem } = decodeErrorResult({ abi, data });
    const inputs = abiItem.type === "error" ? abiItem.inputs : [];
    return {
      name: errorName,
      args: Object.fromEntries(inputs.map(({ name = "" }, index) => [name, shown((args as unknown[])[index])])),
    };
  } catch (error) {
    if (error instanceof BaseError) return undefined;
    throw error;
  }
}

type Explain = (args: DecodedError["args"], called: Called) => Explanation;

/** An error of a contract, with its explanation. Undefined if the contract does not have it. */
export function explainError(
  contract: keyof typeof contracts,
  data: Hex,
  called: Called,
): (Revert & Pick<DecodedError, "args">) | undefined {
  const [abi, explanations] = contracts[contract];
  const decoded = decodeError(abi, data);
  const explain = decoded && (explanations as unknown as Readonly<Record<string, Explain>>)[decoded.name];
  if (!explain) return undefined;
  const [reason, fix] = explain(decoded.args, called);
  return { error: decoded.name, args: decoded.args, reason, fix };
}
