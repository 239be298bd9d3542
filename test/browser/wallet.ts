import type { Page } from "playwright-core";
import { type LocalAccount, numberToHex } from "viem";
import { z } from "zod";
import { LOCAL_CHAIN_ID } from "../../config/networks";

const TypedData = z.object({
  domain: z.record(z.string(), z.unknown()),
  types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
  primaryType: z.string(),
  message: z.record(z.string(), z.unknown()),
});

const Request = z.object({ method: z.string(), params: z.array(z.unknown()).optional() });

/** EIP-1193's error of a user who refuses. */
const REJECTED = { code: 4001, message: "User rejected the request" };

/**
 * Gives a page a wallet as browser extensions do: `window.ethereum`, backed by an account of this process. Returns the
 * signed messages.
 */
export async function injectWallet(page: Page, account: LocalAccount, { refuses = false } = {}): Promise<unknown[]> {
  const signed: unknown[] = [];
  const respond = async (sent: unknown): Promise<unknown> => {
    const { method, params = [] } = Request.parse(sent);
    switch (method) {
      case "eth_requestAccounts":
        return { result: [account.address] };
      case "eth_chainId":
        return { result: numberToHex(LOCAL_CHAIN_ID) };
      case "wallet_switchEthereumChain":
        return { result: null };
      case "eth_signTypedData_v4": {
        if (refuses) return { error: REJECTED };
        const { EIP712Domain: _, ...types } = TypedData.parse(JSON.parse(String(params[1]))).types;
        const data = TypedData.parse(JSON.parse(String(params[1])));
        signed.push(data.message);
        return { result: await account.signTypedData({ ...data, types } as never) };
      }
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
  return signed;
}
