import type { Page } from "playwright-core";
import { createWalletClient, http, type LocalAccount, numberToHex } from "viem";
import { z } from "zod";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import type { ChainConnection } from "../../stack/local/chain";

const TypedData = z.object({
  domain: z.record(z.string(), z.unknown()),
  types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
  primaryType: z.string(),
  message: z.record(z.string(), z.unknown()),
});

const Request = z.object({ method: z.string(), params: z.array(z.unknown()).optional() });

/** EIP-1193's error of a user who refuses. */
const REJECTED = { code: 4001, message: "User rejected the request" };

const Transaction = z.strictObject({
  from: z.string(),
  to: z.templateLiteral(["0x", z.string()]),
  data: z.templateLiteral(["0x", z.string()]),
  value: z.string(),
  chainId: z.string(),
});

type Options = {
  /** Refuses to sign and to send. */
  refuses?: boolean;
  /** Where it sends transactions. */
  chain?: Pick<ChainConnection, "chain" | "transport" | "request">;
  /** The chain that it is on until a page switches it. */
  chainId?: number;
};

/** What a page asked the wallet for. */
export type Asked = {
  /** The signed messages. */
  signed: unknown[];
  /** The transactions, as the page sent them. */
  sent: z.output<typeof Transaction>[];
};

/** Gives a page a wallet as browser extensions do: `window.ethereum`, backed by an account of this process. */
export async function injectWallet(
  page: Page,
  account: LocalAccount,
  { refuses = false, chain, chainId = LOCAL_CHAIN_ID }: Options = {},
): Promise<Asked> {
  const asked: Asked = { signed: [], sent: [] };
  let current = numberToHex(chainId);
  const respond = async (request: unknown): Promise<unknown> => {
    const { method, params = [] } = Request.parse(request);
    switch (method) {
      case "eth_requestAccounts":
        return { result: [account.address] };
      case "eth_chainId":
        return { result: current };
      case "wallet_switchEthereumChain":
        current = z.object({ chainId: z.templateLiteral(["0x", z.string()]) }).parse(params[0]).chainId;
        return { result: null };
      case "eth_signTypedData_v4": {
        if (refuses) return { error: REJECTED };
        const { EIP712Domain: _, ...types } = TypedData.parse(JSON.parse(String(params[1]))).types;
        const data = TypedData.parse(JSON.parse(String(params[1])));
        asked.signed.push(data.message);
        return { result: await account.signTypedData({ ...data, types } as never) };
      }
      case "eth_sendTransaction": {
        if (refuses || !chain) return { error: REJECTED };
        const transaction = Transaction.parse(params[0]);
        asked.sent.push(transaction);
        const wallet = createWalletClient({ account, chain: chain.chain, transport: http(chain.transport.url) });
        const { to, data, value } = transaction;
        // A wallet sends what its owner confirms, also if it will revert.
        return { result: await wallet.sendTransaction({ to, data, value: BigInt(value), gas: 1_000_000n }) };
      }
      case "eth_getTransactionReceipt":
        return { result: await chain?.request({ method, params } as never) };
      default:
        return { error: { code: 4200, message: `The wallet does not support ${method}` } };
    }
  };
  await page.exposeFunction("walletRequest", respond);
  await page.addInitScript(`
    window.ethereum = {
      async request(request) {
        const { result, error } = await window.walletRequest(request);
        if (error) throw Object.assign(new Error(error.message), { code: error.code });
        return result;
      },
    };
  `);
  return asked;
}
