import { x402Facilitator } from "@x402/core/facilitator";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme } from "@x402/evm/exact/facilitator";
import {
  createWalletClient,
  type Hex,
  http,
  nonceManager,
  publicActions,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { anvil } from "viem/chains";
import { LOCAL_FACILITATOR_INDEX, LOCAL_MNEMONIC } from "../../config/networks";
import type { Terms } from "../../config/terms";
import { type Facilitator, supportedBy } from "./facilitator";

const MINED_MS = 8_000;
const POLL_MS = 20;

/** Lets one after the other act, in the order they came. */
function inTurn() {
  let last: Promise<unknown> = Promise.resolve();
  return <Value>(act: () => Promise<Value>): Promise<Value> => {
    const turn = last.then(act, act);
    last = turn;
    return turn;
  };
}

/**
 * A facilitator of our own for a local chain, in this process. It sends from an account whose key is public, which nobody
 * else uses. Nonces come from viem's manager and transactions are sent one after the other: one that fails before it is
 * sent would otherwise leave a gap behind which the next ones wait for ever.
 */
export function localFacilitator(rpcUrl: string, network: Terms["network"]): Facilitator {
  const account = mnemonicToAccount(LOCAL_MNEMONIC, { addressIndex: LOCAL_FACILITATOR_INDEX, nonceManager });
  const chain = { ...anvil, id: Number(network.slice("eip155:".length)) };
  const transport = http(rpcUrl, { batch: true, retryCount: 0, timeout: 5_000 });
  const client = createWalletClient({ account, chain, transport, cacheTime: 0 }).extend(publicActions);
  const sending = inTurn();

  /** Asks again and again: viem's own wait looks only when a new block comes, and a local chain may make none. */
  async function receiptOf(hash: Hex): Promise<TransactionReceipt> {
    const deadline = Date.now() + MINED_MS;
    for (;;) {
      const receipt = await client.getTransactionReceipt({ hash }).catch((error: unknown) => {
        if (error instanceof TransactionReceiptNotFoundError && Date.now() < deadline) return undefined;
        throw error;
      });
      if (receipt) return receipt;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  const signer = toFacilitatorEvmSigner({
    address: account.address,
    getCode: (args) => client.getCode(args),
    readContract: (args) => client.readContract(args as never),
    verifyTypedData: (args) => client.verifyTypedData(args as never),
    writeContract: (args) => sending(() => client.writeContract(args as never)),
    sendTransaction: (args) => sending(() => client.sendTransaction(args as never)),
    waitForTransactionReceipt: ({ hash }) => receiptOf(hash),
  });
  const facilitator = new x402Facilitator().register(network, new ExactEvmScheme(signer, { simulateInSettle: true }));
  return {
    verify: (payload, requirements) => facilitator.verify(payload, requirements),
    settle: (payload, requirements) => facilitator.settle(payload, requirements),
    getSupported: async () => supportedBy(network),
  };
}
