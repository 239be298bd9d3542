import { createInterface } from "node:readline/promises";
import { createWalletClient, type Hex, http, publicActions } from "viem";
import { escapeInvisible } from "../../common/text";
import { createIntentryClient, type IntentryClient, IntentryError, type PreparedAction } from "../src/index";
import { sentenceOf } from "../src/market/wallet";
import { refuse } from "../src/refusal";
import { requireSuccess } from "../src/send";
import { problemOfSigned } from "../src/signed-intent";
import type { Command } from "./arguments";
import { Failure, WrongUsage } from "./failure";
import { printExact, printText } from "./output";
import { castLines, planText } from "./plan";

type Asked = Extract<Command, { name: "do" }>;

/** The JSON-RPC of a signer, and the account that it signs for. */
type Signer = { url: string; sender: Hex };

const isHexOf = (digits: number, value: unknown): value is Hex =>
  typeof value === "string" && value.length === digits + 2 && /^0x[\da-f]+$/i.test(value);

/** Who sends the transactions: the account itself, or the signer of a policy account, if it is given. */
function senderOf({ from, account, signer }: Asked["input"]): Hex | undefined {
  const sender = account === "policy" ? signer : from;
  return isHexOf(40, sender) ? sender : undefined;
}

/** The sender, which a signer needs. */
function requiredSender(input: Asked["input"]): Hex {
  const sender = senderOf(input);
  if (sender) return sender;
  const name = input.account === "policy" ? "signer" : "--from";
  throw new WrongUsage(`${name}: must be the address of the account that sends, 0x and 40 hex digits`);
}

/** Sends an action through the JSON-RPC of a signer. */
async function sendThrough({ url, sender }: Signer, intentry: IntentryClient, prepared: PreparedAction) {
  const { chain_id } = await intentry.protocol();
  const chain = {
    id: chain_id,
    name: `chain ${chain_id}`,
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  };
  const wallet = createWalletClient({ account: sender, chain, transport: http(url) }).extend(publicActions);
  // Before the transaction: after an error of it, it may have been sent.
  const chainId = await wallet.getChainId().catch((error: unknown) => {
    throw new Failure(
      `No valid response of a signer from ${url}: ${sentenceOf(error)}. Nothing was sent`,
      "no_response",
    );
  });
  if (chainId !== chain_id)
    throw new Failure(
      `The signer is on chain ${chainId}, and the service on ${chain_id}. Nothing was sent`,
      "transaction_failed",
    );
  const { receipts, events, signature } = await intentry.send(wallet, prepared);
  return { transactions: receipts.map(({ transactionHash }) => transactionHash), events, signature };
}

/** Asks on the terminal. Anything but yes is no, also the end of the input and Ctrl-C. */
async function isConfirmed(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const ended = new Promise<string>((end) => terminal.once("close", () => end("")));
  try {
    return /^y(es)?$/i.test((await Promise.race([terminal.question(`${question} [y/N] `), ended])).trim());
  } finally {
    terminal.close();
  }
}

async function run({ service, action, input, signerUrl, yes, json }: Asked): Promise<void> {
  const intentry = createIntentryClient(
    service.token === undefined ? { url: service.url } : { url: service.url, token: service.token },
  );
  const actions = intentry.actions as unknown as Record<string, (input: object) => Promise<PreparedAction>>;
  const signer = signerUrl === undefined ? undefined : { url: signerUrl, sender: requiredSender(input) };
  const prepared = await actions[action]?.(input);
  if (!prepared) throw new WrongUsage(`Unknown action ${action}`);
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY && !json;
  if (!json) printText(planText(prepared));
  else if (!yes) printExact(prepared, "json");
  if (action === "submitIntent" && typeof input.signature === "string")
    refuse(await problemOfSigned(prepared, input.signature as Hex, input));
  if (signer === undefined) {
    const lines = castLines(prepared, { sender: senderOf(input), action, url: service.url });
    if (!json) printText(["", "To send it:", ...lines.map((line) => `  ${line}`)].join("\n"));
    return;
  }
  if (!yes && !isTerminal) return console.error("Nothing was sent. Send it with --yes.");
  requireSuccess(prepared);
  const question = prepared.typed_data ? "Sign and send?" : "Send?";
  if (!yes && !(await isConfirmed(question))) return console.error("Nothing was sent.");
  const sent = await sendThrough(signer, intentry, prepared);
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
