import { type Address, BaseError, decodeFunctionResult, encodeFunctionData } from "viem";
import { policyAccountAbi } from "../../../abis/index";
import { reasonOf } from "../../../rpc/json-rpc";
import { explainRevert, type Through } from "../../actions/reverts";
import { InsufficientFunds, type Outcome, type SimulatedCall } from "../../actions/simulate";
import { decodeLogs } from "../../actions/simulated-events";
import { TooMany } from "../../core/errors";
import { describeEvent } from "../../events/describe-event";
import { factsAbout, intentsOf } from "../../events/facts";
import type { PreparedAction } from "./answer";
import type { Scope } from "./scope";
import type { Sender, Sent } from "./step";

/** How long tokens in simulated events may take. */
const TOKEN_WAIT_MS = 500;

const fundsMissing = (from: Address) => ({
  error: "InsufficientFunds",
  reason: `${from} has too little of the native coin.`,
  fix: "Send it more of the native coin, or use less.",
});

/** The answer of `signer()` of a policy account; null for something else. */
function signerIn(outcome: Outcome | undefined): Address | null {
  if (!outcome?.ok) return null;
  try {
    const signer = decodeFunctionResult({ abi: policyAccountAbi, functionName: "signer", data: outcome.data });
    return signer.toLowerCase() as Address;
  } catch (error) {
    // Any contract can return anything.
    if (error instanceof BaseError) return null;
    throw error;
  }
}

/** What calls would do, or why that is not known. */
async function outcomesOf({ context, caller }: Scope, calls: readonly SimulatedCall[]) {
  try {
    const simulated = await context.simulate(calls, caller.client);
    return simulated.outcomes.length === 0 ? "no outcome" : simulated;
  } catch (error) {
    if (error instanceof TooMany) throw error;
    return error instanceof InsufficientFunds ? error : reasonOf(error);
  }
}

/** The events of an outcome, with what they mean. */
async function eventsOf({ context, caller }: Scope, { logs }: Outcome) {
  if (!logs) return null;
  const decoded = decodeLogs(logs, context.config.contracts);
  const events = decoded.flatMap(({ contract, event, args }) => (contract && event ? [{ name: event, args }] : []));
  const intents = await intentsOf(context.db, events);
  const facts = await factsAbout(context.tokens, events, intents, TOKEN_WAIT_MS, caller);
  return decoded.map((log) => ({
    ...log,
    description: log.contract && log.event ? describeEvent(log.event, log.args, facts) : null,
  }));
}

/**
 * Simulates transactions in order, and a question for the signer of the policy account. Null, with a warning, if the node
 * can't. `denied` are the transactions that the policies deny.
 */
export async function simulate(
  scope: Scope,
  sent: readonly Sent[],
  { account, signer }: Sender,
  denied: () => Promise<ReadonlySet<Sent>>,
): Promise<PreparedAction["simulation"]> {
  if (sent.length === 0) return null;
  const { from, now } = scope;
  // Without its signer, only what the account does can be simulated.
  const isInner = account === "policy" && signer === undefined;
  const sender = isInner ? from : (signer ?? from);
  const calls = sent.map(({ step, ...own }): SimulatedCall => {
    const { to, data, value } = isInner ? step : own;
    return { from: sender, to, data, value };
  });
  if (signer !== undefined)
    calls.push({
      ...{ from: sender, to: from, value: 0n },
      data: encodeFunctionData({ abi: policyAccountAbi, functionName: "signer" }),
    });
  const simulated = await outcomesOf(scope, calls);
  const deniedOnes = await denied();
  if (typeof simulated === "string") {
    scope.warn("not_simulated", `The node could not simulate this (${simulated}), so it may revert.`);
    return null;
  }
  if (simulated instanceof InsufficientFunds) {
    const results = [{ ok: false, gas_used: null, revert: fundsMissing(sender), events: null }];
    return { ok: false, method: simulated.method, note: null, results };
  }
  const { method } = simulated;
  const outcomes = simulated.outcomes.slice(0, sent.length);
  const answered = signer === undefined ? undefined : simulated.outcomes[sent.length];
  const results = [];
  for (const [index, outcome] of outcomes.entries()) {
    const one = sent[index];
    if (!one) continue;
    const { called, to } = one.step;
    const through: Through | undefined =
      signer === undefined
        ? undefined
        : { isOwn: !one.isExecuted, signer: signerIn(answered), isDenied: deniedOnes.has(one) };
    results.push({
      ok: outcome.ok,
      gas_used: outcome.gasUsed === null ? null : String(outcome.gasUsed),
      revert: outcome.ok
        ? null
        : explainRevert(outcome.data, { called, to, sender, from, now, ...(through && { through }) }),
      events: await eventsOf(scope, outcome),
    });
  }
  const left = sent.length - outcomes.length;
  const notes = [
    ...(isInner ? ["The calls of the policy account itself were simulated, because its signer is not given."] : []),
    ...(left > 0 ? [`The node can simulate only the first transaction; the other ${left} may revert.`] : []),
  ];
  // `execute` and `signer` always return something, so an account that returns nothing is not a policy account.
  const isAccount =
    signer === undefined ||
    (outcomes.every(({ ok, data }, index) => !ok || data !== "0x" || !sent[index]?.isExecuted) &&
      !(answered?.ok && answered.data === "0x"));
  if (!isAccount) scope.warn("policies", `${from} does not seem to be a policy account: the call has no effect.`);
  return { ok: isAccount && outcomes.every(({ ok }) => ok), method, note: notes.join(" ") || null, results };
}
