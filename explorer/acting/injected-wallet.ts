/** The wallet that the browser offers to pages (EIP-1193). */
export type InjectedWallet = {
  request(request: { method: string; params?: readonly unknown[] }): Promise<unknown>;
};

/** What the wallet is asked to send. All that it may add is gas and a nonce. */
type SentTransaction = { to: string; data: string; value: string; chainId: number };

/** What a mined transaction did. */
export type Mined = {
  ok: boolean;
  block: bigint;
  /** The contracts that emitted events. */
  emitters: readonly string[];
};

const REJECTED = 4001;

/** The code of EIP-3085 for a chain that the wallet does not know. */
const UNKNOWN_CHAIN = 4902;

const POLL_MS = 1_000;

export const injectedWallet = (): InjectedWallet | undefined => (globalThis as { ethereum?: InjectedWallet }).ethereum;

const hexOf = (number: number | bigint) => `0x${number.toString(16)}`;

const codeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null ? (error as { code?: unknown }).code : undefined;

/** An error of a wallet or of the service, in a sentence. */
export function sentenceOf(error: unknown): string {
  if (codeOf(error) === REJECTED) return "The request was rejected in the wallet. Nothing was signed or sent.";
  const { message } = (typeof error === "object" && error !== null ? error : {}) as { message?: unknown };
  return typeof message === "string" && message !== "" ? message : `The wallet failed: ${JSON.stringify(error)}`;
}

const isAddress = (value: unknown): value is `0x${string}` =>
  typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value);

const isHex = (value: unknown): value is `0x${string}` =>
  typeof value === "string" && /^0x([0-9a-fA-F]{2})+$/.test(value);

/** Asks for the account to act with. */
export async function requestAccount(wallet: InjectedWallet): Promise<`0x${string}`> {
  const accounts = await wallet.request({ method: "eth_requestAccounts" });
  const [account] = Array.isArray(accounts) ? accounts : [];
  if (!isAddress(account)) throw new Error("The wallet shared no account.");
  return account;
}

/** The chain that the wallet is on. */
export const chainOf = async (wallet: InjectedWallet): Promise<number> =>
  Number(await wallet.request({ method: "eth_chainId" }));

/** Asks the wallet to use a chain. */
export async function switchChain(wallet: InjectedWallet, chainId: number): Promise<void> {
  try {
    await wallet.request({ method: "wallet_switchEthereumChain", params: [{ chainId: hexOf(chainId) }] });
  } catch (error) {
    if (codeOf(error) === UNKNOWN_CHAIN)
      throw new Error(`The wallet does not know chain ${chainId}. Add it to the wallet first.`);
    throw error;
  }
}

/** Asks the wallet to send exactly a transaction. Returns its hash. */
export async function sendTransaction(
  wallet: InjectedWallet,
  from: string,
  { to, data, value, chainId }: SentTransaction,
): Promise<string> {
  const transaction = { from, to, data, value: hexOf(BigInt(value)), chainId: hexOf(chainId) };
  const hash = await wallet.request({ method: "eth_sendTransaction", params: [transaction] });
  if (typeof hash !== "string" || !/^0x[0-9a-fA-F]{64}$/.test(hash))
    throw new Error("The wallet returned no transaction hash. Look into the wallet before you send again.");
  return hash.toLowerCase();
}

/** Asks the wallet to sign exactly a message. Returns the signature. */
export async function signTypedData(wallet: InjectedWallet, from: string, message: object): Promise<`0x${string}`> {
  const signature = await wallet.request({
    method: "eth_signTypedData_v4",
    params: [from, JSON.stringify(message)],
  });
  if (!isHex(signature)) throw new Error("The wallet returned no signature.");
  return signature;
}

/** Waits until a transaction is in a block. Undefined if the wallet can't tell. */
export async function untilMined(
  wallet: InjectedWallet,
  hash: string,
  signal: AbortSignal,
): Promise<Mined | undefined> {
  while (!signal.aborted) {
    const receipt = await wallet
      .request({ method: "eth_getTransactionReceipt", params: [hash] })
      .catch(() => undefined);
    if (receipt === undefined) return undefined;
    if (receipt !== null) {
      const { status, blockNumber, logs } = receipt as { status?: unknown; blockNumber?: unknown; logs?: unknown };
      const emitters = (Array.isArray(logs) ? logs : []).map(({ address }) => String(address).toLowerCase());
      return { ok: Number(status) === 1, block: BigInt(String(blockNumber)), emitters };
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return undefined;
}
