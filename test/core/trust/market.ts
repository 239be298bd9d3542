import { type Address, type Hex, keccak256, pad, parseEventLogs, stringToHex, zeroAddress, zeroHash } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { commerceRegistryAbi } from "../../../abis/index";
import { quoteHash } from "../../../common/quote-hash";
import { executionHashOf } from "../../support/execution-hash";
import { fund, ownAccount } from "../../support/own-accounts";
import type { WrittenStack } from "../../support/shared-stack";

const registry = "CommerceRegistry";
const FAR_FUTURE = 2n ** 40n;

export type Shop = { merchantId: bigint; serviceNumericId: bigint; owner: PrivateKeyAccount; payout: Address };

type Sale = { amount?: bigint; token?: Address; proof?: "settlement" | "claim" };

/** A dollar in the smallest unit of the test dollar. */
export const DOLLAR = 1_000_000n;

/** Metadata that is on chain as a whole. */
export const metadataUri = (name: string) =>
  `data:application/json,${encodeURIComponent(JSON.stringify({ name, description: "For tests.", tags: [] }))}`;

/** Accounts, shops and sales of a test file. */
export function marketOn(stack: WrittenStack) {
  const { write, client, contracts } = stack;
  let nonce = BigInt(keccak256(stringToHex("trust")).slice(0, 18));
  let last = 0;

  const account = async (name: string) => {
    const created = ownAccount(`${name} of trust ${++last}`);
    await fund(client, created);
    return created;
  };
  const idIn = (
    logs: Parameters<typeof parseEventLogs>[0]["logs"],
    eventName: "MerchantRegistered" | "ReceiptRecorded" | "ServiceRegistered" | "DisputeOpened",
  ) => {
    const [log] = parseEventLogs({ abi: commerceRegistryAbi, logs, eventName });
    if (!log) throw new Error(`No ${eventName}`);
    const { args } = log;
    return "disputeId" in args
      ? args.disputeId
      : "receiptId" in args
        ? args.receiptId
        : "serviceId" in args
          ? args.serviceNumericId
          : args.merchantId;
  };
  /** Registers a merchant with a service. */
  async function shop(name: string, { payout, uri = name }: { payout?: Address; uri?: string } = {}): Promise<Shop> {
    const owner = await account(name);
    const paid = payout ?? owner.address;
    const merchantId = idIn(
      (await write(owner, registry, "registerMerchant", [paid, uri, zeroHash])).logs,
      "MerchantRegistered",
    );
    const service = await write(owner, registry, "registerService", [merchantId, name, "uri", zeroHash, zeroHash]);
    return { merchantId, serviceNumericId: idIn(service.logs, "ServiceRegistered"), owner, payout: paid };
  }
  /** Pays a quote through the adapter: in the native coin, or in test dollars that are minted for it. */
  async function settle(shop: Shop, buyer: PrivateKeyAccount, hash: Hex, token: Address, amount: bigint): Promise<Hex> {
    const instruction = {
      ...{
        quoteHash: hash,
        settlementPlanHash: keccak256(stringToHex("plan")),
        payer: buyer.address,
        token,
        deadline: FAR_FUTURE,
      },
      ...{ grossAmount: amount, lines: [{ kind: 0, recipient: shop.payout, token, amount, metadataHash: zeroHash }] },
    };
    if (token !== zeroAddress) {
      await write(buyer, "TestDollar", "mint", [buyer.address, amount]);
      await write(buyer, "TestDollar", "approve", [contracts.SettlementAdapter, amount]);
    }
    await write(buyer, "SettlementAdapter", "executeSettlement", [instruction], token === zeroAddress ? amount : 0n);
    return executionHashOf(client.chain.id, contracts.SettlementAdapter, instruction);
  }
  /** Sells once to a buyer, and returns the id of the receipt. The seller records it. */
  async function sell(
    shop: Shop,
    buyer: PrivateKeyAccount,
    { amount = 2n * DOLLAR, token = contracts.TestDollar, proof = "settlement" }: Sale = {},
  ) {
    const quote = {
      ...{ merchantId: shop.merchantId, serviceNumericId: shop.serviceNumericId, agent: buyer.address, token, amount },
      ...{ facilitator: zeroAddress, paymentRail: 0, expiresAt: FAR_FUTURE, paymentNonce: ++nonce },
      ...{ resourceHash: zeroHash, termsHash: zeroHash, x402PayloadHash: zeroHash },
    };
    await write(shop.owner, registry, "commitQuote", [quote]);
    const hash = quoteHash(client.chain.id, contracts.CommerceRegistry, quote);
    const result = proof === "claim" ? pad("0x1", { size: 32 }) : await settle(shop, buyer, hash, token, amount);
    return idIn((await write(shop.owner, registry, "recordReceipt", [hash, result])).logs, "ReceiptRecorded");
  }
  /** Lets a buyer dispute a receipt, and the seller decide: 1 upholds it, 2 rejects it. */
  async function dispute(shop: Shop, buyer: PrivateKeyAccount, receiptId: bigint, outcome?: 1 | 2) {
    const { logs } = await write(buyer, registry, "openDispute", [receiptId, zeroHash]);
    if (outcome) await write(shop.owner, registry, "resolveDispute", [idIn(logs, "DisputeOpened"), outcome, zeroHash]);
  }
  /** Registers an agent of an account, and returns its id. */
  async function agent(owner: PrivateKeyAccount, uri = "uri"): Promise<string> {
    await write(owner, "AgentRegistry", "registerAgent", [uri, "0x01", zeroHash]);
    const found = (await stack.rows("agent")).filter((row) => row.owner === owner.address.toLowerCase());
    return found.at(-1)?.agentId ?? "";
  }
  return { account, shop, sell, dispute, agent };
}
