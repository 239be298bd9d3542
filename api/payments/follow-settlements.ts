import type { Logger } from "pino";
import { BlockNotFoundError } from "viem";
import type { BaseContext } from "../core/context";
import { findUse } from "./chain";
import type { Payments } from "./configured";
import { createFacilitation } from "./facilitation";
import { readStored } from "./payload";
import { createPaymentRecords, type PaymentRecords } from "./records";

/**
 * Follows settled payments until their blocks are final. A payment whose transfer a reorg removed is REVERTED. It is settled
 * again while it is valid, unless its transaction is included again by itself. Otherwise it is UNPAID. A payment can't be
 * charged twice: the token accepts its nonce once.
 */
export function createSettlementFollower(payments: Payments, store: BaseContext["store"], log: Logger) {
  const { terms, chain } = payments;
  const { network } = terms;
  const records = createPaymentRecords(store, network);
  const { settle } = createFacilitation(payments, records, log);
  let unpaid: number | null = null;
  let hasFinality = true;

  /** Without a finalized block, which is logged once, payments are followed for a day, and reorgs are found as usual. */
  async function finalize(): Promise<void> {
    const block = await chain.getBlock({ blockTag: "finalized" }).catch((err: unknown) => {
      if (hasFinality) log.warn({ err }, "the payment network's finalized block could not be read");
    });
    hasFinality = block !== undefined;
    if (block) await records.finalized(block.number);
  }

  /** Finds orphaned blocks, from the newest down. A block on the chain proves all blocks before it. */
  async function forgetOrphanedBlocks(): Promise<void> {
    for (const { number, hash } of await records.blocks()) {
      const block = await chain.getBlock({ blockNumber: number }).catch((error: unknown) => {
        // The node does not have its height yet.
        if (!(error instanceof BlockNotFoundError)) throw error;
      });
      if (block?.hash === hash) return;
      if (block) await records.orphaned(hash);
    }
  }

  /** Looks up one transfer, and records its block. If it is missing, the payment advances by one state per round. */
  async function locate(row: Awaited<ReturnType<PaymentRecords["unlocated"]>>[number]): Promise<void> {
    const payment = readStored(row.payload);
    const { settlement } = await findUse(chain, payment, row.fromBlock);
    if (settlement) {
      // A reorg after the first check may have put this transfer on another branch than the blocks known before.
      await forgetOrphanedBlocks();
      await records.located(row, settlement);
      return;
    }
    if (row.isLeased) return;
    const about = { payer: row.payer, nonce: row.nonce, transaction: row.transaction };
    if (row.state === "SETTLED") {
      if (await records.lost(row, "SETTLED"))
        log.warn(about, "a reorg removed the transfer of a payment; it will be settled again");
      return;
    }
    const { timestamp } = await chain.getBlock();
    if (timestamp >= payment.authorization.validBefore) {
      if (await records.lost(row, "REVERTED"))
        log.error(about, "a reorg removed the transfer of a payment, and it expired unpaid");
      return;
    }
    const holder = await records.resumeSettlement(row);
    const { transaction } = holder === null ? {} : await settle(payment, { ...row, holder });
    if (transaction) log.info({ ...about, transaction }, "a payment was settled again after a reorg");
  }

  return {
    /** Compares the settled payments with the chain once. */
    async round(): Promise<void> {
      unpaid = await records.countUnpaid();
      const [blocks, unlocated] = await Promise.all([records.blocks(), records.unlocated()]);
      // Without a payment to follow, the node receives no requests.
      if (blocks.length + unlocated.length === 0) return;
      const served = `eip155:${await chain.getChainId()}`;
      // On another chain, every transfer would be missing.
      if (served !== network) throw new Error(`The payment network is ${network}, but X402_RPC_URL serves ${served}`);
      await forgetOrphanedBlocks();
      for (const row of await records.unlocated()) {
        const { payer, nonce } = row;
        await locate(row).catch((err: unknown) =>
          log.warn({ err, payer, nonce }, "the transfer of a payment could not be looked up"),
        );
      }
      unpaid = await records.countUnpaid();
      await finalize();
    },
    /** The number of payments that a reorg has left unpaid. Null before the first round. */
    unpaid: () => unpaid,
  };
}
