import { expect, it } from "vitest";
import { createIntentryClient } from "../../client/src/index";
import { earlierTransfer } from "../../client/src/market/earlier-transfer";
import type { VerifiedQuote } from "../../client/src/market/quote";
import type { Wallet } from "../../client/src/market/wallet";

const address = `0x${"1".repeat(40)}` as const;
const quoteHash = `0x${"2".repeat(64)}` as const;

it("pays no quote that is older than the blocks in which an earlier payment is searched", async () => {
  const searched: unknown[] = [];
  const wallet = {
    account: { address },
    getTransactionCount: async () => 7,
    getBlockNumber: async () => 5_000n,
    async getContractEvents({ fromBlock }: { fromBlock: bigint }) {
      searched.push(fromBlock);
      return [];
    },
  } as unknown as Wallet;
  const intentry = createIntentryClient({ url: "http://127.0.0.1:1" });
  const verified = {
    quote: { amount: 1n, token: address, merchantId: 1n },
    quoteHash,
    payTo: address,
  } as VerifiedQuote;
  await expect(earlierTransfer({ intentry, wallet, registry: address }, verified, new Set())).rejects.toMatchObject({
    code: "invalid_quote",
    message: "The quote is too old to find out whether it was paid",
  });
  expect(searched).toEqual([3_000n]);
});
