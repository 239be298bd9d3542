import { createInterface } from "node:readline/promises";
import { createWalletClient, type Hex, http, publicActions } from "viem";
import { escapeInvisible } from "../../common/text";
import { createIntentryClient, type IntentryClient, IntentryError, type PreparedAction } from "../src/index";
import type { Command } from "./arguments";
import { Failure, WrongUsage } from "./failure";
import { printExact, printText } from "./output";
import { castLines, planText } from "./plan";

type Asked = Extract<Command, { name: "do" }>;

const isHexOf = (digits: number, value: unknown): value is Hex =>
  typeof value === "string" && value.length === digits + 2 && /^0x[\da-f]+$/i.test(value);

/** Who sends the transactions: the account itself, or the signer of a policy account, if it is given. */
function senderOf({ from, account, signer }: Asked["input"]): Hex | undefined {
  const sender = account === "policy" ? signer : from;
  return isHexOf(40, sender) ? sender : undefined;
}

/** Sends an action through the JSON-RPC of a signer. */
async function sendThrough(url: string, intentry: IntentryClient, sender: Hex | undefined, prepared: PreparedAction) {
  if (sender === undefined) throw new WrongUsage("signer is missing: who sends for the policy account");
  const { chain_id } = await intentry.protocol();
  const chain = {
    id: chain_id,
    name: `chain ${chain_id}`,
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  };
  const wallet = createWalletClient({ account: sender, chain, transport: http(url) }).extend(publicActions);
  const { receipts, events, signature } = await intentry.send(wallet, prepared);
  return { transactions: receipts.map(({ transactionHash }) => transactionHash), events, signature };
}

/** Asks on the terminal. Anything but yes is no. */
async function isConfirmed(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

async function run({ service, action, input, signerUrl, yes, json }: Asked): Promise<void> {
  const intentry = createIntentryClient(
    service.token === undefined ? { url: service.url } : { url: service.url, token: service.token },
  );
  const actions = intentry.actions as unknown as Record<string, (input: object) => Promise<PreparedAction>>;
  const prepared = await actions[action]?.(input);
  if (!prepared) throw new WrongUsage(`Unknown action ${action}`);
  const sender = senderOf(input);
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY && !json;
  if (!json) printText(planText(prepared));
  else if (!yes) printExact(prepared, "json");
  if (signerUrl === undefined) {
    const lines = castLines(prepared, { sender, action });
    if (!json) printText(["", "To send it:", ...lines.map((line) => `  ${line}`)].join("\n"));
    return;
  }
  if (!yes && !isTerminal) return console.error("Nothing was sent. Send it with --yes.");
  // The plan says why.
  if (prepared.simulation?.ok === false)
    throw new Failure("Nothing was sent: the action would revert", "transaction_failed");
  if (!yes && !(await isConfirmed(prepared.typed_data ? "Sign and send?" : "Send?"))) return;
  const sent = await sendThrough(signerUrl, intentry, sender, prepared);
  if (json) return printExact({ ...prepared, sent }, "json");
  const { transactions, events, signature } = sent;
  const lines = [
    ...(signature ? [`Signature ${signature}`] : []),
    ...transactions.map((hash) => `Transaction ${hash}`),
    ...events.map(({ description }) => description),
  ];
  printText(["", ...lines.map(escapeInvisible)].join("\n"));
}

/** Prepares an action and prints it. Sends it through a signer after confirmation. */
export async function doAction(asked: Asked): Promise<void> {
  try {
    await run(asked);
  } catch (error) {
    if (error instanceof IntentryError) throw new Failure(error.message, error.code);
    throw error;
  }
}
