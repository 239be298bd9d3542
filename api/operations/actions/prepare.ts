import { eq } from "drizzle-orm";
import { type Abi, type Address, encodeFunctionData, erc20Abi, type Hex } from "viem";
import { policyAccountAbi } from "../../../abis/index";
import { type ContractName, protocolAbis } from "../../../config/contracts";
import { policy } from "../../../ponder.schema";
import { reasonOf } from "../../../rpc/json-rpc";
import { type Called, explainRevert } from "../../actions/reverts";
import { InsufficientFunds, type Outcome, type Simulated, type SimulatedCall } from "../../actions/simulate";
import { decodeLogs } from "../../actions/simulated-events";
import { BadInput, NotFound, TooMany } from "../../core/errors";
import { describeEvent } from "../../events/describe-event";
import { factsAbout, intentsOf } from "../../events/facts";
import { type Placeholders, preparedQuery } from "../../indexed/prepared-query";
import { describeCall } from "../../preflight/describe-call";
import { preflight } from "../preflight";
import type { Next, PreparedAction, TypedData } from "./answer";
import type { Scope } from "./scope";

/** A call of a contract of the protocol or of a token, with its arguments by name. */
export type Step = { to: Address; called: Called; data: Hex; value: bigint };

/** What an action does. */
export type Prepared = {
  summary: string;
  steps: readonly Step[];
  typedData?: TypedData;
  /** The payment that the typed data authorizes. Only policies checked before the signature can prevent it. */
  payment?: { merchant: Address; token: Address; facilitator: Address; amount: bigint };
  next?: Next;
};

/** Who sends the transactions: `from` itself, or its signer if it is a policy account. */
export type Sender = { account?: "policy" | undefined; signer?: Address | undefined };

/** How long tokens in simulated events may take. */
const TOKEN_WAIT_MS = 500;

/** The address of a contract of the deployment. */
export function contractAt(contract: ContractName, { context }: Pick<Scope, "context">): Address {
  const address = context.config.contracts[contract];
  if (!address) throw new NotFound(`This deployment has no ${contract}`);
  return address;
}

/** A call of a function with its arguments by name. */
export function stepOf(
  contract: Called["contract"],
  to: Address,
  name: string,
  args: Readonly<Record<string, unknown>>,
  value = 0n,
): Step {
  const abi: Abi = contract === "token" ? erc20Abi : protocolAbis[contract];
  const data = encodeFunctionData({ abi, functionName: name, args: Object.values(args) });
  return { to, called: { contract, name, args }, data, value };
}

/** The functions of a policy account for its own settings, which its policies do not apply to. */
const ownSettings = new Map(
  policyAccountAbi.flatMap((item) =>
    item.type === "function" && item.name.startsWith("set") ? [[item.name as string, item.inputs.length] as const] : [],
  ),
);

/** A transaction, the call that it makes, and whether the policies of `from` apply to it. */
type Sent = { to: Address; data: Hex; value: bigint; step: Step; hasPolicies: boolean; isExecuted?: true };

/** A transaction of `from` itself. Policies do not apply to the call that sets them. */
const direct = (step: Step): Sent => ({
  to: step.to,
  data: step.data,
  value: step.value,
  step,
  hasPolicies: step.called.contract !== "PolicyModule",
});

/** The transaction of a policy account's signer that makes the account do a step. */
function throughAccount(step: Step, account: Address): Sent {
  const { name, contract, args } = step.called;
  // The account's own function freezes the account itself, and no other one.
  const isOwn = contract === "PolicyModule" && (args.account === undefined || args.account === account);
  const inputs = isOwn ? ownSettings.get(name) : undefined;
  if (inputs !== undefined) {
    // The account itself is not among the arguments of its own function.
    const values = Object.values(args).slice(-inputs);
    const data = encodeFunctionData({ abi: policyAccountAbi as Abi, functionName: name, args: values });
    return { to: account, data, value: 0n, step, hasPolicies: false };
  }
  const execution = [step.to, step.value, step.data] as const;
  const data = encodeFunctionData({ abi: policyAccountAbi, functionName: "execute", args: execution });
  return { to: account, data, value: 0n, step, hasPolicies: true, isExecuted: true };
}

const selectPolicy = preparedQuery((db, { account }: Placeholders<{ account: Address }>) =>
  db.select({ type: policy.policyType }).from(policy).where(eq(policy.account, account)).limit(1),
);

/** The preflight of each transaction that the policies of `from` apply to. Undefined if it has no policies. */
async function checkPolicies(
  scope: Scope,
  sent: readonly Sent[],
  payment: Prepared["payment"],
  isPolicyAccount: boolean,
) {
  const { context, from } = scope;
  if (!isPolicyAccount && (await selectPolicy(context.db, { account: from })).length === 0) return undefined;
  const applies = sent.filter(({ hasPolicies }) => hasPolicies);
  if (applies.length === 0 && !payment) return undefined;
  const checks = [];
  if (payment) {
    const { amount, ...route } = payment;
    checks.push(await scope.read(preflight.check, { account: from, payment: { ...route, amount: String(amount) } }));
  }
  for (const { step } of applies) {
    const { to: target, value, data } = step;
    checks.push(await scope.read(preflight.check, { account: from, target, value: String(value), data }));
  }
  const denied = checks.filter(({ allowed }) => !allowed);
  if (denied.length > 0)
    scope.warn(
      "policies",
      `The policies of ${from} deny this: ${denied.flatMap(({ reasons }) => reasons).join("; ")}.`,
    );
  return checks;
}

/**
 * Three fifths more than was used: up to a fifth of what a transaction needs is refunded at its end (EIP-3529), and the state
 * may change until it is mined.
 */
const gasLimit = (used: bigint) => (used * 8n) / 5n;

const fundsMissing = (from: Address) => ({
  error: "InsufficientFunds",
  reason: `${from} has too little of the native coin.`,
  fix: "Send it more of the native coin, or use less.",
});

async function toResult(scope: Scope, { step }: Sent, { ok, data, gasUsed, logs }: Outcome) {
  const { context, caller } = scope;
  const decoded = logs && decodeLogs(logs, context.config.contracts);
  const events =
    decoded?.flatMap(({ contract, event, args }) => (contract && event ? [{ name: event, args }] : [])) ?? [];
  const intents = await intentsOf(context.db, events);
  const facts = await factsAbout(context.tokens, events, intents, TOKEN_WAIT_MS, caller);
  return {
    ok,
    gas_used: gasUsed === null ? null : String(gasUsed),
    revert: ok ? null : explainRevert(data, step.called),
    events:
      decoded?.map((log) => ({
        ...log,
        description: log.contract && log.event ? describeEvent(log.event, log.args, facts) : null,
      })) ?? null,
  };
}

/** Simulates transactions in order. Null, with a warning, if the node can't. */
async function simulate(
  scope: Scope,
  sent: readonly Sent[],
  { account, signer }: Sender,
): Promise<PreparedAction["simulation"]> {
  if (sent.length === 0) return null;
  const { context, caller, from } = scope;
  // Without its signer, only what the account does can be simulated.
  const isInner = account === "policy" && signer === undefined;
  const calls = sent.map(({ step, ...own }): SimulatedCall => {
    const { to, data, value } = isInner ? step : own;
    return { from: isInner ? from : (signer ?? from), to, data, value };
  });
  let simulated: Simulated;
  try {
    simulated = await context.simulate(calls, caller.client);
  } catch (error) {
    if (error instanceof TooMany) throw error;
    if (error instanceof InsufficientFunds) {
      const revert = fundsMissing(calls[0]?.from ?? from);
      const results = [{ ok: false, gas_used: null, revert, events: null }];
      return { ok: false, method: error.method, note: null, results };
    }
    scope.warn("not_simulated", `The node could not simulate this (${reasonOf(error)}), so it may revert.`);
    return null;
  }
  const { method, outcomes } = simulated;
  if (outcomes.length === 0) {
    scope.warn("not_simulated", "The node could not simulate this (no outcome), so it may revert.");
    return null;
  }
  const results = [];
  for (const [index, outcome] of outcomes.entries()) {
    const one = sent[index];
    if (one) results.push(await toResult(scope, one, outcome));
  }
  const left = sent.length - outcomes.length;
  const notes = [
    ...(isInner ? ["The calls of the policy account itself were simulated, because its signer is not given."] : []),
    ...(left > 0 ? [`The node can simulate only the first transaction; the other ${left} may revert.`] : []),
  ];
  // What a policy account executes always returns something, and its own settings emit an event.
  const hasEffect = ({ data, logs }: Outcome, index: number) =>
    sent[index]?.isExecuted ? data !== "0x" : logs === null || logs.length > 0;
  const isAccount =
    isInner || account !== "policy" || outcomes.every((outcome, index) => !outcome.ok || hasEffect(outcome, index));
  if (!isAccount) scope.warn("policies", `${from} does not seem to be a policy account: the call has no effect.`);
  return { ok: isAccount && outcomes.every(({ ok }) => ok), method, note: notes.join(" ") || null, results };
}

/** Throws for a sender that can't be. Before the action is prepared, which may publish a document. */
export function checkSender({ account, signer }: Sender): void {
  if (signer !== undefined && account === undefined)
    throw new BadInput("signer: is only for a policy account; send account as well");
}

/** The answer for a prepared action: its transactions, what they would do, and what to be careful about. */
export async function answerOf(scope: Scope, prepared: Prepared, sender: Sender): Promise<PreparedAction> {
  const { from, context } = scope;
  const { chainId, contracts } = context.config;
  const { summary, steps, typedData, next = null } = prepared;
  const isPolicyAccount = sender.account === "policy";
  const sent = steps.map((step) => (isPolicyAccount ? throughAccount(step, from) : direct(step)));
  const [checks, simulation] = await Promise.all([
    checkPolicies(scope, sent, prepared.payment, isPolicyAccount),
    simulate(scope, sent, sender),
  ]);
  return {
    summary,
    transactions: sent.map(({ to, data, value, step }, index) => {
      const used = simulation?.results[index]?.gas_used ?? null;
      const isWrapped = to !== step.to;
      return {
        from: isPolicyAccount ? (sender.signer ?? null) : from,
        to,
        data,
        value: String(value),
        chainId,
        // Of the account's own call, the transaction of its signer uses more.
        gas: used === null || (isWrapped && sender.signer === undefined) ? null : String(gasLimit(BigInt(used))),
        description: `${isWrapped ? `Through the policy account ${from}: ` : ""}${describeCall({ target: step.to, value: step.value, data: step.data }, contracts)}`,
      };
    }),
    ...(typedData && { typed_data: typedData }),
    simulation,
    ...(checks && { preflight: checks }),
    warnings: scope.warnings,
    next,
  };
}
