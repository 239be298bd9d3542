import { type Hex, MethodNotFoundRpcError } from "viem";
import { describe, expect, it, vi } from "vitest";
import { createIntentryClient, type PreparedAction } from "../../client/src/index";
import { senderOf, type Wallet } from "../../client/src/market/wallet";

const hash: Hex = `0x${"1f".repeat(32)}`;
const to: Hex = `0x${"2e".repeat(20)}`;

const walletWith = (members: object) =>
  ({ account: { address: to }, chain: { id: 31_337 }, ...members }) as unknown as Wallet;

const action = (change: Partial<PreparedAction> = {}): PreparedAction => ({
  summary: "Cancel intent 5.",
  transactions: [{ from: to, to, data: "0xab", value: "7", chainId: 31_337, gas: "65000", description: "" }],
  simulation: null,
  warnings: [],
  next: null,
  ...change,
});

const receipt = { status: "success", logs: [], blockHash: hash, blockNumber: 5n, transactionHash: hash };

/** A client whose service answers calls with these values. */
const clientOf = (answers: Record<string, unknown>) =>
  createIntentryClient({
    url: "http://service.example",
    retries: 0,
    fetch: async (url) => {
      const names = new URL(String(url)).pathname.replace("/trpc/", "").split(",");
      return Response.json(names.map((name) => ({ result: { data: answers[name] } })));
    },
  });

describe("send", () => {
  it("sends exactly the prepared transaction, and returns its receipt and events", async () => {
    const events = [{ eventName: "IntentCancelled", args: { intentId: "5" }, description: "" }];
    const intentry = clientOf({ "status.ready": { block_number: "5" }, "transactions.explain": { events } });
    const sendTransaction = vi.fn(async () => hash);
    const wallet = walletWith({ sendTransaction, getTransactionReceipt: async () => receipt });
    expect(await intentry.send(wallet, action())).toEqual({ receipts: [receipt], events });
    expect(sendTransaction.mock.calls).toEqual([[{ to, data: "0xab", value: 7n, gas: 65_000n }]]);
  });

  it("refuses an action for another chain or account, and one that would revert", async () => {
    const intentry = clientOf({});
    const sendTransaction = vi.fn();
    const revert = { error: "BidExpired", reason: "Bid 3 expired.", fix: "Select another one." };
    const simulation = {
      ok: false,
      method: "eth_simulateV1",
      note: null,
      results: [{ ok: false, gas_used: null, revert, events: null }],
    } as const;
    await expect(intentry.send(walletWith({ chain: { id: 1 }, sendTransaction }), action())).rejects.toMatchObject({
      code: "transaction_failed",
      message: "The action is for chain 31337, and the wallet is on chain 1. Nothing was sent",
    });
    const other = { address: `0x${"3e".repeat(20)}` };
    await expect(intentry.send(walletWith({ account: other, sendTransaction }), action())).rejects.toMatchObject({
      message: `The action is of ${to}, and the wallet's account is ${other.address}. Nothing was sent`,
    });
    await expect(intentry.send(walletWith({ sendTransaction }), action({ simulation }))).rejects.toMatchObject({
      code: "transaction_failed",
      message: "The action would revert: Bid 3 expired. Select another one. Nothing was sent",
    });
    expect(sendTransaction).not.toHaveBeenCalled();
  });

  it("refuses an action with nothing to send, and a transaction that is malformed", async () => {
    const sendTransaction = vi.fn();
    const wallet = walletWith({ sendTransaction });
    await expect(clientOf({}).send(wallet, action({ transactions: [] }))).rejects.toMatchObject({
      code: "transaction_failed",
      message: "The action has no transactions. Nothing was sent",
    });
    const [good] = action().transactions;
    for (const wrong of [{ to: "vitalik.eth" }, { data: "0x123" }, { value: "-1" }, { gas: "all" }]) {
      // The second one: the first must not be sent either.
      const transactions = [good, { ...good, ...wrong }] as PreparedAction["transactions"];
      await expect(clientOf({}).send(wallet, action({ transactions }))).rejects.toMatchObject({
        code: "transaction_failed",
        message: `The service answered with a transaction whose ${Object.keys(wrong)[0]} is malformed. Nothing was sent`,
      });
    }
    expect(sendTransaction).not.toHaveBeenCalled();
  });

  it("names the transactions that succeeded before one that failed", async () => {
    const sendTransaction = vi.fn().mockResolvedValueOnce(hash).mockRejectedValueOnce(new Error("User rejected"));
    const wallet = walletWith({ sendTransaction, getTransactionReceipt: async () => receipt });
    const { transactions } = action();
    const sending = clientOf({}).send(wallet, action({ transactions: [...transactions, ...transactions] }));
    await expect(sending).rejects.toMatchObject({
      code: "transaction_failed",
      message: `The transaction was not sent: User rejected. Before it, ${hash} succeeded`,
    });
  });

  it("names the transactions that succeeded if the index does not show them", async () => {
    const intentry = clientOf({});
    const wallet = walletWith({ sendTransaction: async () => hash, getTransactionReceipt: async () => receipt });
    await expect(intentry.send(wallet, action())).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining(`${hash} succeeded, but the index did not show it: `),
    });
  });
});

describe("the sender of a wallet", () => {
  it("reports the hash at once if the signer knows no receipts", async () => {
    const cause = new MethodNotFoundRpcError(new Error("no such method"));
    const send = senderOf(walletWith({ getTransactionReceipt: () => Promise.reject(cause) }));
    await expect(send(async () => hash)).rejects.toMatchObject({
      code: "no_response",
      message: expect.stringContaining(`Transaction ${hash} was sent, but its receipt is not known`),
    });
  });
});
