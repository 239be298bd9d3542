import { type Hex, zeroHash } from "viem";
import { intentBookAbi } from "../../../abis/index";
import type { Intent } from "../api";
import type { IntentryClient } from "../index";
import { iterate } from "../iterate";
import { senderOf, type Wallet } from "./wallet";

/** An offer for an intent. Amounts are in the tokens' smallest units. */
export type Offer = {
  amountIn: bigint;
  amountOut: bigint;
  /** An integer whose token the contract does not define; the parties agree on it. Default: 0. */
  fee?: bigint;
  /** Unix seconds. Default: the intent's deadline. */
  validUntil?: bigint;
};

/** What a solver shows for a fill. */
export type FillProof = { executionData?: Hex; resultHash: Hex; traceHash: Hex };

/** What a solver did, or why it did nothing. */
export type SolverActivity =
  | { type: "bid"; intentId: string; transaction: Hex }
  | { type: "filled"; intentId: string; transaction: Hex }
  | { type: "skipped"; intentId: string; reason: string }
  | { type: "failed"; intentId: string; error: unknown };

/** The options of {@link solver}. */
export type SolverOptions = {
  /** The client of the service that indexes the intents. */
  intentry: IntentryClient;
  /** The account that bids and fills. */
  wallet: Wallet;
  /** The offer for an open intent. Null: no offer. */
  price: (intent: Intent) => Offer | null | Promise<Offer | null>;
  /** Executes an intent whose owner selected the solver's bid. Default: only the fill is recorded. */
  execute?: (intent: Intent, bid: { amountIn: bigint; amountOut: bigint }) => Promise<FillProof>;
  /** Stops the solver. */
  signal: AbortSignal;
  /** Called after each bid, fill, skipped intent and failure. */
  report?: (activity: SolverActivity) => void;
};

/**
 * Watches open intents, prices them, bids, and fills the ones whose owner selects the bid. Intents that require an attestation
 * are skipped unless there is a valid one. Runs until the signal aborts.
 *
 * @example
 * const price = ({ amount_in_max, amount_out_min }) => ({ amountIn: BigInt(amount_in_max), amountOut: BigInt(amount_out_min) });
 * await solver({ intentry, wallet, price, signal });
 */
export async function solver({ intentry, wallet, price, execute, signal, report }: SolverOptions): Promise<void> {
  const { contracts } = await intentry.protocol();
  const book = { abi: intentBookAbi, address: contracts.IntentBook } as const;
  const self = wallet.account.address;
  const send = senderOf(wallet);

  /** The id of a valid attestation for an intent: 0 if it requires none, undefined if there is none. */
  const attestationFor = async ({ execution }: Intent): Promise<bigint | undefined> => {
    const { required_attestation_subject: subject, required_attestation_schema: schema } = execution;
    if (subject === null && schema === null) return 0n;
    const filters = { ...(subject && { subject }), ...(schema && { schema }), revoked: false, limit: 1 };
    const { attestations } = await intentry.attestations.list.query(filters);
    return attestations[0] && BigInt(attestations[0].attestation_id);
  };

  const skip = (intentId: string, reason: string) => report?.({ type: "skipped", intentId, reason });

  const hasBid = async (id: string): Promise<boolean> => {
    for await (const bid of iterate(intentry.bids.list, { id }))
      if (bid.source === "onchain" && bid.solver === self.toLowerCase()) return true;
    return false;
  };

  const bid = async (id: string): Promise<void> => {
    const intent = await intentry.intents.get.query({ id });
    if (intent.status !== "OPEN" || (await hasBid(id))) return;
    if ((await attestationFor(intent)) === undefined) return skip(id, "the required attestation does not exist");
    const offer = await price(intent);
    if (!offer) return skip(id, "no offer");
    const { amountIn, amountOut, fee = 0n, validUntil = BigInt(intent.deadline) } = offer;
    const execution = intent.execution.data_hash ?? zeroHash;
    const args = [BigInt(id), amountIn, amountOut, fee, validUntil, execution] as const;
    const { transactionHash } = await send(() => wallet.writeContract({ ...book, functionName: "submitBid", args }));
    report?.({ type: "bid", intentId: id, transaction: transactionHash });
  };

  const fill = async (id: string): Promise<void> => {
    const intentId = BigInt(id);
    const intent = await intentry.intents.get.query({ id });
    if (intent.status !== "OPEN") return;
    // The contract decides which bid is selected, and with which amounts it must be filled.
    const bidId = await wallet.readContract({ ...book, functionName: "getSelectedBid", args: [intentId] });
    const selected = await wallet.readContract({ ...book, functionName: "getBid", args: [intentId, bidId] });
    if (selected.solver.toLowerCase() !== self.toLowerCase()) return;
    const attestationId = await attestationFor(intent);
    if (attestationId === undefined) return skip(id, "the required attestation was revoked");
    const { amountIn, amountOut } = selected;
    const proof = (await execute?.(intent, { amountIn, amountOut })) ?? { resultHash: zeroHash, traceHash: zeroHash };
    const filled = { amountIn, amountOut, solver: self, executionData: "0x", ...proof, attestationId } as const;
    const { transactionHash } = await send(() =>
      wallet.writeContract({ ...book, functionName: "fillIntent", args: [intentId, filled] }),
    );
    report?.({ type: "filled", intentId: id, transaction: transactionHash });
  };

  /** One intent's failure does not stop the solver. */
  const attempt = (id: string, act: (id: string) => Promise<void>) =>
    act(id).catch((error: unknown) => {
      if (!signal.aborted) report?.({ type: "failed", intentId: id, error });
    });

  // The list is read at this block or later, so together with the events after it no intent is missed.
  const { block_number } = await intentry.status.ready.query();
  const from_block = BigInt(block_number ?? 0) + 1n;
  for await (const { intent_id } of iterate(intentry.intents.list, { status: "open" })) {
    if (signal.aborted) return;
    await attempt(intent_id, bid);
    await attempt(intent_id, fill);
  }
  for await (const message of intentry.follow({ contract: "IntentBook", from_block }, { signal })) {
    if (message.type !== "event") continue;
    const { event, args } = message.data;
    if (event === "IntentSubmitted") await attempt(args.intentId, bid);
    if (event === "SolverBidSelected" && args.solver.toLowerCase() === self.toLowerCase())
      await attempt(args.intentId, fill);
  }
}
