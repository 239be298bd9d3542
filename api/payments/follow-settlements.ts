import type { Logger } from "pino";
import { BlockNotFoundError } from "viem";
import type { BaseContext } from "../core/context";
import type { StoreDatabase } from "../offchain/open";
import { createResourceServer } from "./offer";
import { readStored } from "./payload";
import type { Payments } from "./paywall";
import {
  countUnpaid,
  forgetBlock,
  readBlocks,
  readUnlocated,
  recordFinality,
  recordLocation,
  recordLoss,
  recordSettlement,
  releaseSettlement,
  resumeSettlement,
  type Unlocated,
} from "./records";
import { requestSettlement } from "./settle";
import { findSettlement } from "./settlement";

/**
 * Follows settled payments until their blocks are final. A payment whose transfer a reorg removed is REVERTED. It is settled
 * again while it is valid, unless its transaction is included again by itself. Otherwise it is UNPAID. A payment can't be
 * charged twice: the token accepts its nonce once.
 */
export function createSettlementFollower(
  { terms, facilitator, chain }: Payments,
  store: BaseContext["store"],
  log: Logger,
) {
  const { network } = terms;
  const server = createResourceServer(facilitator, network);
  let unpaid: number | null = null;
  let hasFinality = true;

  /** The node must serve the payment network: on another chain, every transfer would be missing. */
  async function requireNetwork(): Promise<void> {
    const served = `eip155:${await chain.getChainId()}`;
    if (served !== network) throw new Error(`The payment network is ${network}, but X402_RPC_URL serves ${served}`);
  }

  /**
   * The finalized block; undefined if the node has none, which is logged once. Payments are then followed for a day, and
   * reorgs are found as usual.
   */
  async function readFinalized(): Promise<bigint | undefined> {
    try {
      const { number } = await chain.getBlock({ blockTag: "finalized" });
      hasFinality = true;
      return number;
    } catch (error) {
      if (hasFinality) log.warn({ err: error }, "the payment network's finalized block could not be read");
      hasFinality = false;
      return undefined;
    }
  }

  /** Whether a block is on the chain. Undefined if the node does not have its height yet. */
  async function isCanonical({ number, hash }: { number: bigint; hash: string }): Promise<boolean | undefined> {
    try {
      return (await chain.getBlock({ blockNumber: number })).hash === hash;
    } catch (error) {
      if (error instanceof BlockNotFoundError) return undefined;
      throw error;
    }
  }

  /** Finds orphaned blocks, from the newest down. A block on the chain proves all blocks before it. */
  async function forgetOrphanedBlocks(
    db: StoreDatabase,
    blocks: Awaited<ReturnType<typeof readBlocks>>,
  ): Promise<void> {
    for (const block of blocks) {
      const isOnChain = await isCanonical(block);
      if (isOnChain) return;
      if (isOnChain === false) await forgetBlock(db, network, block.hash);
    }
  }

  /** Looks up one transfer, and records its block. If it is missing, the payment advances by one state per round. */
  async function locate(db: StoreDatabase, row: Unlocated): Promise<void> {
    const stored = readStored(row.payload);
    const found = await findSettlement(chain, row, stored.payload.accepted);
    if (found) {
      // A reorg after the first check may have put this transfer on another branch than the blocks known before.
      await forgetOrphanedBlocks(db, await readBlocks(db, network));
      return recordLocation(db, row, found);
    }
    if (row.isLeased) return;
    const { payer, nonce, transaction } = row;
    if (row.state === "SETTLED") {
      if (await recordLoss(db, row, ["SETTLED", "REVERTED"]))
        log.warn({ payer, nonce, transaction }, "a reorg removed the transfer of a payment; it will be settled again");
      return;
    }
    const { timestamp } = await chain.getBlock();
    if (timestamp >= stored.authorization.validBefore) {
      if (await recordLoss(db, row, ["REVERTED", "UNPAID"]))
        log.error({ payer, nonce, transaction }, "a reorg removed the transfer of a payment, and it expired unpaid");
      return;
    }
    const holder = await resumeSettlement(db, row);
    if (holder === null) return;
    const settled = await requestSettlement(server, stored.payload, row, log);
    if (settled.transaction) {
      await recordSettlement(db, row, settled.transaction);
      log.info({ payer, nonce, transaction: settled.transaction }, "a payment was settled again after a reorg");
    } else await releaseSettlement(db, row, holder);
  }

  return {
    /** Compares the settled payments with the chain once. */
    async round(): Promise<void> {
      const db = await store();
      unpaid = await countUnpaid(db);
      const [blocks, unlocated] = await Promise.all([readBlocks(db, network), readUnlocated(db, network)]);
      // Without a payment to follow, the node receives no requests.
      if (blocks.length + unlocated.length === 0) return;
      await requireNetwork();
      await forgetOrphanedBlocks(db, blocks);
      for (const row of await readUnlocated(db, network))
        await locate(db, row).catch((error: unknown) =>
          log.warn(
            { err: error, payer: row.payer, nonce: row.nonce },
            "the transfer of a payment could not be looked up",
          ),
        );
      unpaid = await countUnpaid(db);
      const finalized = await readFinalized();
      if (finalized !== undefined) await recordFinality(db, network, finalized);
    },
    /** The number of payments that a reorg has left unpaid. Null before the first round. */
    unpaid: () => unpaid,
  };
}
