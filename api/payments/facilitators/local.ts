import { InMemoryPendingSettlementStore, x402Facilitator } from "@x402/core/facilitator";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme } from "@x402/evm/exact/facilitator";
import { createWalletClient, type Hex, publicActions, TransactionNotFoundError } from "viem";
import { anvil } from "viem/chains";
import { localAccount } from "../../../config/local-accounts";
import { LOCAL_FACILITATOR_INDEX } from "../../../config/networks";
import type { Terms } from "../../../config/terms";
import { tracedHttp } from "../../telemetry/traced-http";
import { type Facilitator, supportedBy } from "./remote";

/** How long a settlement waits for its block. */
const MINED_MS = 8_000;

/**
 * An in-process facilitator for a local chain. It sends from a well-known test account reserved for it. It reads every
 * nonce from the node, one transaction at a time. A cached nonce (viem's nonce manager) would leave a permanent gap after
 * a failed send or a reset of the chain.
 */
export function localFacilitator(rpcUrl: string, network: Terms["network"], minedMs = MINED_MS): Facilitator {
  const account = localAccount(LOCAL_FACILITATOR_INDEX);
  const { address } = account;
  const chain = { ...anvil, id: Number(network.slice("eip155:".length)) };
  const transport = tracedHttp(rpcUrl, { batch: true, retryDelay: 50, timeout: 5_000 });
  const wallet = createWalletClient({ account, chain, transport, cacheTime: 0, pollingInterval: 50 });
  const client = wallet.extend(publicActions);

  let last: Promise<unknown> = Promise.resolve();
  /** Sends transactions one at a time, in order. */
  function enqueue(send: () => Promise<Hex>): Promise<Hex> {
    const sent = last.then(send, send);
    last = sent;
    return sent;
  }

  /** Transactions that were not mined in time. A retry of the settlement waits for them only while they can be mined. */
  class Pending extends InMemoryPendingSettlementStore {
    /** The node has it, and no nonce before it is missing. A reorg may remove either. */
    override async get(key: string) {
      const hash = (await super.get(key)) as Hex | undefined;
      if (hash === undefined) return undefined;
      const transaction = await client.getTransaction({ hash }).catch((error: unknown) => {
        if (!(error instanceof TransactionNotFoundError)) throw error;
      });
      const next = await client.getTransactionCount({ address, blockTag: "pending" });
      return transaction && transaction.nonce < next ? hash : undefined;
    }
  }

  const signer = toFacilitatorEvmSigner(
    {
      address,
      getCode: (call) => client.getCode(call),
      readContract: (call) => client.readContract(call as never),
      verifyTypedData: (call) => client.verifyTypedData(call as never),
      writeContract: (call) => enqueue(() => client.writeContract(call as never)),
      sendTransaction: (call) => enqueue(() => client.sendTransaction(call)),
      waitForTransactionReceipt: (call) => client.waitForTransactionReceipt(call),
    },
    { confirmationTimeoutMs: minedMs },
  );
  const scheme = new ExactEvmScheme(signer, { pendingSettlementStore: new Pending(), simulateInSettle: true });
  const facilitator = new x402Facilitator().register(network, scheme);
  return {
    verify: (...call) => facilitator.verify(...call),
    settle: (...call) => facilitator.settle(...call),
    getSupported: async () => supportedBy(network),
  };
}
