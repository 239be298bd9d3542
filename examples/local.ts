import { IntentryError } from "intentry";
import {
  BaseError,
  ContractFunctionRevertedError,
  createWalletClient,
  type Hex,
  http,
  parseEther,
  publicActions,
  testActions,
  withRetry,
} from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { foundry } from "viem/chains";

// The stack of `npm start`, for the examples. Usage of each: node <example>.js [gateway URL] [RPC URL] [its own arguments]
const [, , gatewayUrl = "http://localhost:3001", chainUrl = "http://localhost:8545", ...others] = process.argv;
export const [url, rpcUrl, args] = [gatewayUrl, chainUrl, others];

/** Anvil's mnemonic. Its keys are public: never use them on another chain. */
export const mnemonic = "test test test test test test test test test test test junk";

/** Every run has accounts of its own, so that examples can run together. EXAMPLE_ACCOUNT=1 keeps them for the next run. */
const random = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
const accountIndex = Number(process.env.EXAMPLE_ACCOUNT ?? random >>> 1);

/** A wallet with ten test ether. */
export async function walletOf(addressIndex: number) {
  const account = mnemonicToAccount(mnemonic, { accountIndex, addressIndex });
  const wallet = createWalletClient({ account, chain: foundry, transport: http(rpcUrl) }).extend(publicActions);
  const chain = wallet.extend(testActions({ mode: "anvil" }));
  await chain.setBalance({ address: account.address, value: parseEther("10") });
  return wallet;
}

type Wallet = Awaited<ReturnType<typeof walletOf>>;

/** Waits until a transaction is mined. It polls, because viem's own wait checks only when a new block arrives. */
export async function mined(wallet: Wallet, sent: Promise<Hex>) {
  const hash = await sent;
  return withRetry(() => wallet.getTransactionReceipt({ hash }), { delay: 100, retryCount: 300 });
}

/** The signal that ends the example: Ctrl-C. npm forwards it, so it can arrive twice. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => stop.abort());
  return stop.signal;
}

/** An error in one sentence. viem's own message repeats the request and the ABI. */
export function sentenceOf(error: unknown): string {
  if (error instanceof IntentryError && error.code === "transaction_failed" && error.cause instanceof BaseError)
    return sentenceOf(error.cause);
  if (!(error instanceof BaseError)) return error instanceof Error ? error.message : String(error);
  const reverted = error.walk((one) => one instanceof ContractFunctionRevertedError);
  const name = reverted instanceof ContractFunctionRevertedError ? reverted.data?.errorName : undefined;
  const [sentence = ""] = error.shortMessage.split("\n");
  return name ? `${sentence.replace(/[.:]$/, "")}: ${name}` : sentence;
}

process.on("uncaughtException", (error) => {
  console.error(sentenceOf(error));
  process.exit(1);
});
