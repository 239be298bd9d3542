import { InMemoryPendingSettlementStore, type PendingSettlementStore, x402Facilitator } from "@x402/core/facilitator";
import type { PaymentPayload, PaymentRequirements } from "@x402/core/types";
import { eip3009ABI, toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme } from "@x402/evm/exact/facilitator";
import {
  type Address,
  concat,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  publicActions,
  TransactionNotFoundError,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from "viem";
import { anvil } from "viem/chains";
import { localAccount } from "../../../config/local-accounts";
import { LOCAL_FACILITATOR_INDEX } from "../../../config/networks";
import { steadyTime } from "../../../config/steady-time";
import type { Terms } from "../../../config/terms";
import { tracedHttp } from "../../telemetry/traced-http";
import { type Facilitator, supportedBy } from "./remote";

const SIMULATION_FAILED = "invalid_exact_evm_transaction_simulation_failed";
const TRANSACTION_FAILED = "invalid_exact_evm_transaction_failed";

/** How long a settlement waits for its block. */
const MINED_MS = 8_000;
const POLL_MS = 50;

/** Runs tasks one at a time, in order. */
function createQueue() {
  let last: Promise<unknown> = Promise.resolve();
  return <Value>(task: () => Promise<Value>): Promise<Value> => {
    const result = last.then(task, task);
    last = result;
    return result;
  };
}

/**
 * An in-process facilitator for a local chain. It sends from a well-known test account reserved for it. It reads every
 * nonce from the node, one transaction at a time. A cached nonce (viem's nonce manager) would leave a permanent gap after
 * a failed send or a reset of the chain.
 */
export function localFacilitator(rpcUrl: string, network: Terms["network"], minedMs = MINED_MS): Facilitator {
  const account = localAccount(LOCAL_FACILITATOR_INDEX);
  const chain = { ...anvil, id: Number(network.slice("eip155:".length)) };
  const transport = tracedHttp(rpcUrl, { batch: true, retryDelay: 50, timeout: 5_000 });
  const client = createWalletClient({ account, chain, transport, cacheTime: 0 }).extend(publicActions);
  const enqueue = createQueue();

  /** Estimates gas before it enters the queue, so a reverting transfer fails without a nonce. */
  async function send({ to, data }: { to: Address; data: Hex }): Promise<Hex> {
    const parameters = ["chainId", "fees", "gas", "type"] as const;
    const prepared = await client.prepareTransactionRequest({ to, data, parameters });
    return enqueue(async () => {
      const nonce = await client.getTransactionCount({ address: account.address, blockTag: "pending" });
      const serializedTransaction = await account.signTransaction({ ...prepared, nonce } as never);
      return client.sendRawTransaction({ serializedTransaction });
    });
  }

  /** Polls for the receipt. viem's own wait checks only on new blocks, and a local chain may not mine any. */
  async function receiptOf(hash: Hex): Promise<TransactionReceipt> {
    const deadline = steadyTime() + minedMs;
    for (;;) {
      const receipt = await client.getTransactionReceipt({ hash }).catch((error: unknown) => {
        if (error instanceof TransactionReceiptNotFoundError && steadyTime() < deadline) return undefined;
        throw error;
      });
      if (receipt) return receipt;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** Whether the node can still mine a transaction: it has it, and no nonce before it is missing. A reorg may remove either. */
  async function isPending(hash: Hex): Promise<boolean> {
    const transaction = await client.getTransaction({ hash }).catch((error: unknown) => {
      if (error instanceof TransactionNotFoundError) return undefined;
      throw error;
    });
    if (!transaction) return false;
    const next = await client.getTransactionCount({ address: account.address, blockTag: "pending" });
    return transaction.nonce < next;
  }

  const sent = new InMemoryPendingSettlementStore();
  /** Transactions that were not mined in time. A retry of the settlement waits for them only while they can be mined. */
  const pendingSettlementStore: PendingSettlementStore = {
    async get(key) {
      const hash = (await sent.get(key)) as Hex | undefined;
      return hash && (await isPending(hash)) ? hash : undefined;
    },
    set: (key, hash) => sent.set(key, hash),
    delete: (key) => sent.delete(key),
  };

  const signer = toFacilitatorEvmSigner({
    address: account.address,
    getCode: (args) => client.getCode(args),
    readContract: (args) => client.readContract(args as never),
    verifyTypedData: (args) => client.verifyTypedData(args as never),
    writeContract: ({ address, dataSuffix = "0x", ...call }) =>
      send({ to: address, data: concat([encodeFunctionData(call as never), dataSuffix]) }),
    sendTransaction: send,
    waitForTransactionReceipt: ({ hash }) => receiptOf(hash),
  });
  /** Finds out why a transfer would fail. The library's own check needs a contract that a local chain does not have. */
  async function reasonFor({ payload }: PaymentPayload, { asset, amount }: PaymentRequirements): Promise<string> {
    const { authorization } = payload as { authorization: { from: Address; nonce: Hex } };
    const token = { address: asset as Address, abi: eip3009ABI };
    const [isUsed, balance] = await Promise.all([
      client.readContract({
        ...token,
        functionName: "authorizationState",
        args: [authorization.from, authorization.nonce],
      }),
      client.readContract({ ...token, functionName: "balanceOf", args: [authorization.from] }),
    ]);
    if (isUsed) return "invalid_exact_evm_nonce_already_used";
    return balance < BigInt(amount) ? "invalid_exact_evm_insufficient_balance" : SIMULATION_FAILED;
  }

  const facilitator = new x402Facilitator().register(network, new ExactEvmScheme(signer, { pendingSettlementStore }));
  return {
    async verify(payload, requirements) {
      const verdict = await facilitator.verify(payload, requirements);
      return verdict.invalidReason === SIMULATION_FAILED
        ? { ...verdict, invalidReason: await reasonFor(payload, requirements) }
        : verdict;
    },
    async settle(payload, requirements) {
      const settled = await facilitator.settle(payload, requirements);
      return !settled.success && settled.transaction === "" && settled.errorReason === TRANSACTION_FAILED
        ? { ...settled, errorReason: await reasonFor(payload, requirements) }
        : settled;
    },
    getSupported: async () => supportedBy(network),
  };
}
