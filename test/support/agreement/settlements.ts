import { decodeFunctionData, type Hex, isAddressEqual } from "viem";
import { settlementAdapterAbi } from "../../../abis/index";
import { executionHashOf } from "../execution-hash";
import type { Row } from "../index-of";
import { byId, type Chain, inChunks, lower, originOf, type Rows } from "./chain";

/** The instruction of a direct call of the adapter. Null for other transactions. */
function directInstruction({ contracts }: Chain, { to, input }: { to: Hex | null; input: Hex }) {
  if (to === null || !isAddressEqual(to, contracts.SettlementAdapter)) return null;
  const { functionName, args } = decodeFunctionData({ abi: settlementAdapterAbi, data: input });
  return functionName === "executeSettlement" ? args[0] : null;
}

/** The rows of the SettlementAdapter. */
export async function settlementRows(chain: Chain): Promise<Rows<"settlement">> {
  const { client, events, timeOf, contracts } = chain;
  const executed = await client.getContractEvents({ ...events("SettlementAdapter"), eventName: "SettlementExecuted" });
  const withCalls = await inChunks(executed, async (log) => {
    const instruction = directInstruction(chain, await client.getTransaction({ hash: log.transactionHash }));
    const { SettlementAdapter } = contracts;
    const isOwn =
      instruction && executionHashOf(client.chain.id, SettlementAdapter, instruction) === log.args.executionHash;
    return { log, instruction: isOwn ? instruction : null };
  });
  // The first execution gives a settlement its position.
  const first = byId([...withCalls].reverse(), ({ log }) => log.args.executionHash);
  return {
    settlement: [...first.values()].map(({ log }) => {
      const { executionHash, quoteHash, settlementPlanHash, payer, token, grossAmount } = log.args;
      const same = withCalls.filter((one) => one.log.args.executionHash === executionHash);
      const known = same.find(({ instruction }) => instruction)?.instruction;
      const lines = known?.lines.map((line) => ({
        kind: line.kind,
        recipient: lower(line.recipient),
        token: lower(line.token),
        amount: String(line.amount),
        metadata_hash: line.metadataHash,
      }));
      return {
        ...{ executionHash, quoteHash, settlementPlanHash, payer: lower(payer), token: lower(token) },
        grossAmount: String(grossAmount),
        deadline: known ? String(known.deadline) : null,
        lines: lines ? JSON.stringify(lines) : null,
        executions: same.length,
        executedAt: timeOf(log.blockNumber),
        logIndex: log.logIndex,
        ...originOf(log),
      };
    }),
  };
}

type Unproven = Omit<Row<"receipt">, "paymentProof">;

/** The receipts with their proofs, and the first receipt of each quote and result hash, in the order of the receipts. */
export async function provenReceipts(
  { client, events }: Chain,
  receipts: readonly Unproven[],
  settlements: readonly Row<"settlement">[],
): Promise<Rows<"receipt" | "settlementClaim">> {
  const from = events("CommerceRegistry");
  const registered = await client.getContractEvents({ ...from, eventName: "MerchantRegistered" });
  const updated = await client.getContractEvents({ ...from, eventName: "MerchantUpdated" });
  const recorded = await client.getContractEvents({ ...from, eventName: "ReceiptRecorded" });
  type Position = { blockNumber: bigint; logIndex: number };
  const isBefore = (one: Position, other: Position) =>
    one.blockNumber < other.blockNumber || (one.blockNumber === other.blockNumber && one.logIndex < other.logIndex);
  const claims = new Map<string, Row<"settlementClaim">>();
  const receipt = receipts.map((one): Row<"receipt"> => {
    const log = recorded.find(({ args }) => String(args.receiptId) === one.receiptId);
    const owner = registered.find(({ args }) => String(args.merchantId) === one.merchantId)?.args.owner;
    const payout = [...registered, ...updated]
      .filter((earlier) => log && String(earlier.args.merchantId) === one.merchantId && isBefore(earlier, log))
      .sort((a, b) => (isBefore(a, b) ? -1 : 1))
      .at(-1)?.args.payoutAddress;
    if (!owner || !payout) throw new Error(`Receipt ${one.receiptId} has no merchant`);
    const { quoteHash, resultHash, receiptId } = one;
    const key = `${quoteHash} ${resultHash}`;
    const payoutAddress = lower(payout);
    const isFirst = !claims.has(key);
    if (isFirst) claims.set(key, { quoteHash, resultHash, receiptId, payoutAddress });
    const settled = settlements.find(({ executionHash }) => executionHash === resultHash);
    const lines: { recipient: Hex; amount: string }[] = JSON.parse(settled?.lines ?? "[]");
    const paid = lines.reduce(
      (sum, { recipient, amount }) => (recipient === payoutAddress ? sum + BigInt(amount) : sum),
      0n,
    );
    const isPaid = paid > 0n && paid >= BigInt(one.amount);
    if (isFirst && settled?.quoteHash === quoteHash && settled.token === one.token && isPaid)
      return { ...one, paymentProof: "settlement" };
    const isParty = [lower(owner), payoutAddress, one.agent].includes(one.facilitator);
    return { ...one, paymentProof: one.paymentRail >= 2 && !isParty ? "facilitator" : "claim" };
  });
  return { receipt, settlementClaim: [...claims.values()] };
}
