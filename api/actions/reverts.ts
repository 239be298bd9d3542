import { type Address, type Hex, zeroAddress } from "viem";
import { quotedText } from "../../common/text";
import { type Called, type DecodedError, decodeError, explainError, type Revert } from "./contract-errors";

/** A policy account that makes the call, and what is known about it. */
export type Through = {
  /** Whether its own function is called, which calls nothing but the policy module. */
  isOwn: boolean;
  /** Its signer; null if it is not known. */
  signer: Address | null;
  /** Whether its policies deny the call, by the index. */
  isDenied: boolean;
};

/** A call that reverted. */
export type Call = {
  called: Called;
  to: Address;
  /** Who sends the transaction. */
  sender: Address;
  /** Who calls the contract: the sender, or the policy account. */
  from: Address;
  now: bigint;
  through?: Through;
};

/** The block of a simulation is newer than the clock, by at most this. */
const BLOCK_SECONDS = 60n;

/** The errors of the policy module before a call. */
const moduleErrors = ["AccountFrozenError", "TargetNotAllowed", "FunctionNotAllowed", "DailySpendLimitExceeded"];

/** The panics that inputs of a person cause, by function. */
const panics: Readonly<Record<string, Pick<Revert, "reason" | "fix">>> = {
  withdrawBond: { reason: "The amount is more than the bond.", fix: "Withdraw at most the bond." },
  recordSpend: { reason: "The sum of the day is above 2^256.", fix: "Record less." },
  recordSignedPayment: {
    reason: "The payment is more than its policy leaves for today.",
    fix: "Pay less, or raise the limit.",
  },
};

type Instruction = { token: Address; deadline: bigint; lines: { recipient: Address; amount: bigint }[] };

/** The settlement that is called, if it pays with a token. */
function tokenSettlement({ contract, name, args }: Called): Instruction | undefined {
  if (contract !== "SettlementAdapter" || name !== "executeSettlement") return undefined;
  const instruction = args.instruction as Instruction;
  return instruction.token === zeroAddress ? undefined : instruction;
}

/** The contract of someone else that the call reaches, and whose reverts are passed on. It can revert with any data. */
function foreignIn({ called, to }: Pick<Call, "called" | "to">): string | undefined {
  if (called.contract === "recipient") return `The recipient ${to}`;
  if (called.contract === "token") return `The token ${to}`;
  const settlement = tokenSettlement(called);
  return settlement && `The token ${settlement.token}`;
}

/** Whether an error of a token is about this call. Another one would mislead, for example to approve another spender. */
function fitsCall({ args }: DecodedError, { called, to, from }: Call): boolean {
  const settlement = tokenSettlement(called);
  const receivers = settlement ? settlement.lines.map(({ recipient }) => recipient) : [called.args.to];
  const amounts = settlement ? settlement.lines.map(({ amount }) => amount) : [called.args.value];
  const spender = settlement ? to : called.args.spender;
  const expected: Readonly<Record<string, readonly unknown[]>> = {
    sender: [from],
    receiver: receivers,
    spender: [spender],
    needed: amounts,
  };
  return Object.entries(args).every(([name, value]) => expected[name]?.includes(value) ?? true);
}

/** Whether the adapter itself can have thrown an error of a settlement with a token. The action refuses what causes others. */
const isAdapters = ({ name, args }: DecodedError, { token, deadline }: Instruction, now: bigint) =>
  name === "SafeERC20FailedOperation"
    ? args.token === token
    : name === "DeadlineExpired" && deadline <= now + BLOCK_SECONDS;

/** What a contract without a known error reverts with. Its texts are quoted: anyone can deploy one with any text. */
function unknown(data: Hex, who: string): Revert {
  if (data === "0x") return { error: "", reason: `${who} reverts without a reason.`, fix: null };
  const decoded = decodeError([], data);
  const [value] = Object.values(decoded?.args ?? {});
  if (decoded?.name === "Error")
    return { error: "Error", reason: `${who} says ${quotedText(String(value))}.`, fix: null };
  if (decoded?.name === "Panic")
    return { error: "Panic", reason: `${who} fails with the panic code ${value}.`, fix: null };
  const selector = data.slice(0, 10);
  return { error: selector, reason: `${who} reverts with the unknown error ${selector}.`, fix: null };
}

/** The explanation of an error by the contract that was called, or by a token that it calls. */
function explainCalled(data: Hex, call: Call): Revert {
  const { called, now } = call;
  const foreign = foreignIn(call);
  if (foreign === undefined) {
    const own = explainError(called.contract as never, data, called);
    if (own) return own;
    const other = unknown(data, "The contract");
    return other.error === "Panic" ? { ...other, ...panics[called.name] } : other;
  }
  const settlement = tokenSettlement(called);
  const own = settlement && explainError("SettlementAdapter", data, called);
  if (own && isAdapters({ name: own.error, args: own.args }, settlement, now)) return own;
  const ofToken = called.contract === "recipient" ? undefined : explainError("token", data, called);
  if (ofToken && fitsCall({ name: ofToken.error, args: ofToken.args }, call)) return ofToken;
  return unknown(data, foreign);
}

/** Explains a revert of a call that a policy account makes: of the account, of the policy module, or of the call. */
function explainThrough(data: Hex, call: Call, { isOwn, signer, isDenied }: Through): Revert {
  const { called, from, sender } = call;
  const inner = explainCalled(data, call);
  const ofAccount = explainError("account", data, called);
  if (ofAccount?.error === "Unauthorized" && signer !== sender) {
    const { error } = ofAccount;
    const fix = "Send it from the signer.";
    if (signer !== null)
      return { error, reason: `Only the signer of the policy account ${from} can do this, and it is ${signer}.`, fix };
    if (isOwn) return { error, reason: `Only the signer of the policy account ${from} can do this.`, fix };
    return {
      error,
      reason: `Either ${sender} is not the signer of the policy account ${from}, or this is the reason: ${inner.reason}`,
      fix: "Check who the signer is first.",
    };
  }
  // The account throws it for a call that reverts without data.
  if (ofAccount?.error === "FailedCall") return ofAccount;
  const foreign = foreignIn(call);
  const ofModule = explainError("PolicyModule", data, called);
  if (ofModule && moduleErrors.includes(ofModule.error)) {
    if (foreign === undefined || isDenied) return ofModule;
    const reason = `${foreign} reverts with an error of the policy module, but the policies of ${from} allow this call.`;
    return { error: ofModule.error, reason, fix: null };
  }
  if (inner.error === "Panic" && isDenied)
    return {
      error: inner.error,
      reason: `The policies of ${from} deny the call: it would spend more than remains today.`,
      fix: "Wait a day, or raise the limit.",
    };
  return inner;
}

/**
 * Explains the data that a call reverted with. An error is a contract's only if that contract can have thrown it here: tokens
 * and recipients can revert with any data, also that of an error of the protocol.
 */
export function explainRevert(data: Hex, call: Call): Revert {
  const { error, reason, fix } = call.through ? explainThrough(data, call, call.through) : explainCalled(data, call);
  return { error, reason, fix };
}
