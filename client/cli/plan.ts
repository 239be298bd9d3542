import { escapeInvisible } from "../../common/text";
import type { PreparedAction } from "../src/api";
import { shellQuoted, wordsOf } from "./shell-words";

type Simulation = NonNullable<PreparedAction["simulation"]>;

function simulationLines({ ok, method, note, results }: Simulation): string[] {
  const gas = results.reduce((sum, { gas_used }) => sum + BigInt(gas_used ?? 0), 0n);
  const revert = results.find((result) => !result.ok)?.revert;
  const outcome = ok ? `succeeds${gas > 0n ? ` with ${gas} gas` : ""}` : `reverts with ${revert?.error ?? "no reason"}`;
  const events = results.flatMap((result) => result.events ?? []);
  return [
    `Simulation (${method}): ${outcome}`,
    ...events.flatMap(({ description }) => (description === null ? [] : [`  ${description}`])),
    ...(revert ? [`  ${revert.reason}`] : []),
    ...(revert?.fix ? [`  ${revert.fix}`] : []),
    ...(note ? [`  ${note}`] : []),
  ];
}

/**
 * A prepared action for people: what it does, its transactions, their simulation, and warnings. All of it is safe to show on a
 * terminal.
 */
export function planText({ summary, transactions, typed_data, simulation, warnings }: PreparedAction): string {
  const lines = [
    summary,
    "",
    ...transactions.flatMap(({ description, to, value, data }, index) => [
      `${index + 1}. ${description}`,
      `   to ${to}`,
      `   value ${value}`,
      `   data ${data}`,
    ]),
    ...(typed_data ? [`To sign: ${typed_data.primaryType} ${JSON.stringify(typed_data.message)}`] : []),
    ...(simulation ? ["", ...simulationLines(simulation)] : []),
    ...(warnings.length > 0 ? ["", "Warnings:", ...warnings.map(({ message }) => `  ${message}`)] : []),
  ];
  return lines.map(escapeInvisible).join("\n");
}

/** Who sends an action, its name, and the service that prepared it. */
type Sending = { sender: string | undefined; action: string; url: string };

/**
 * Commands that do the same as an action, one a line: `cast send` for each transaction, or `cast wallet sign` for typed data
 * and then the command for the signed action.
 */
export function castLines(
  { transactions, typed_data, next }: PreparedAction,
  { sender, action, url }: Sending,
): string[] {
  const from = sender === undefined ? [] : ["--from", sender];
  const sends = transactions.map(({ to, data, value, chainId }) => [
    ...["cast", "send", ...from, "--chain", String(chainId), "--value", value, to],
    ...(data === "0x" ? [] : [data]),
  ]);
  if (!typed_data) return sends.map((words) => words.map((word) => escapeInvisible(shellQuoted(word))).join(" "));
  const sign = `cast wallet sign --data ${shellQuoted(JSON.stringify(typed_data))}`;
  const again =
    next?.input &&
    ["intentry", "do", action, ...wordsOf(next.input), "--url", shellQuoted(url), "signature=…"].join(" ");
  return [sign, ...(again ? [again] : [])].map(escapeInvisible);
}
