import { zeroAddress } from "viem";
import type { Protocol } from "../../../stack/local/protocol";
import { readChain } from "../agreement/chain";
import { commerceRows } from "../agreement/commerce";
import { eventLogRows } from "../agreement/event-log";
import { intentRows } from "../agreement/intents";
import { registryRows } from "../agreement/registries";
import type { Row } from "../index-of";
import { hourAt } from "./dollars";

/** What happened on the chain that rankings count, from its logs and getters. */
export type Facts = {
  receipts: Receipt[];
  fills: Fill[];
  bids: SolverAction[];
  wins: Win[];
  cancelled: SolverAction[];
  /** The selections of intents that are open in storage. */
  open: { solver: string; deadline: bigint }[];
  intents: Row<"intent">[];
  bidRows: Row<"bid">[];
  everSelected: Set<string>;
  merchants: Row<"merchant">[];
  services: Row<"service">[];
  facilitators: Row<"facilitator">[];
  agents: Row<"agent">[];
  solvers: Row<"solver">[];
  /** Every hour with an event. */
  hours: bigint[];
};

export type Receipt = {
  agent: string;
  merchantId: string;
  serviceNumericId: string;
  facilitator: string | null;
  paymentRail: string;
  token: string;
  amount: bigint;
  fee: bigint;
  time: bigint;
  /** Whether the payer was the owner or the payout address of the merchant. */
  isSelf: boolean;
};

type Fill = {
  solver: string;
  owner: string;
  inputToken: string;
  outputToken: string;
  amountIn: bigint;
  surplus: bigint;
  minimum: bigint;
  blocks: bigint;
  time: bigint;
};

type SolverAction = { solver: string; time: bigint };

/** The selection of a bid, and whether the solver owns the intent. */
type Win = SolverAction & { isSelf: boolean };

type Args = Record<string, string>;

/** Reads the logs in chain order. */
export async function factsOf(protocol: Omit<Protocol, "write">, fromBlock = 0n): Promise<Facts> {
  const chain = await readChain(protocol, fromBlock);
  const { eventLog } = await eventLogRows(chain);
  const { intent: intents, bid: bidRows } = await intentRows(chain);
  const { merchant, service, facilitator } = await commerceRows(chain);
  const { agent, solver } = await registryRows(chain);
  const byId = new Map(intents.map((row) => [row.intentId, row]));
  const facts: Facts = {
    receipts: [],
    fills: [],
    bids: [],
    wins: [],
    cancelled: [],
    open: intents.flatMap(({ status, selectedSolver, deadline }) =>
      status === "OPEN" && selectedSolver !== null ? [{ solver: selectedSolver, deadline: BigInt(deadline) }] : [],
    ),
    intents,
    bidRows,
    everSelected: new Set(),
    merchants: merchant,
    services: service,
    facilitators: facilitator,
    agents: agent,
    solvers: solver,
    hours: [...new Set(eventLog.map(({ blockTimestamp }) => hourAt(BigInt(blockTimestamp))))],
  };
  /** The owner and the payout address of each merchant, and the selected solver of each intent, so far. */
  const sellers = new Map<string, { owner: string; payout: string }>();
  const selected = new Map<string, string>();
  for (const { id, name, args: json, blockTimestamp } of eventLog.sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const args: Args = JSON.parse(json);
    const time = BigInt(blockTimestamp);
    const { merchantId = "", intentId = "", solver: by = "" } = args;
    if (name === "MerchantRegistered")
      sellers.set(merchantId, { owner: args.owner ?? "", payout: args.payoutAddress ?? "" });
    if (name === "MerchantUpdated")
      sellers.set(merchantId, { owner: sellers.get(merchantId)?.owner ?? "", payout: args.payoutAddress ?? "" });
    if (name === "ReceiptRecorded") facts.receipts.push(receiptOf(args, time, sellers.get(merchantId)));
    if (name === "SolverBidSubmitted") facts.bids.push({ solver: by, time });
    if (name === "SolverBidSelected") {
      facts.everSelected.add(`${intentId}-${args.bidId}`);
      if (selected.get(intentId) !== by)
        facts.wins.push({ solver: by, time, isSelf: byId.get(intentId)?.owner === by });
      selected.set(intentId, by);
    }
    const winner = selected.get(intentId);
    if (name === "IntentCancelled" && winner !== undefined) facts.cancelled.push({ solver: winner, time });
    const filled = byId.get(intentId);
    if (name === "IntentFilled" && filled) facts.fills.push(fillOf(args, time, BigInt(id.slice(0, 12)), filled));
  }
  return facts;
}

function receiptOf(args: Args, time: bigint, seller: { owner: string; payout: string } | undefined): Receipt {
  const { agent = "", merchantId = "", serviceNumericId = "", facilitator = "", token = "" } = args;
  return {
    agent,
    merchantId,
    serviceNumericId,
    facilitator: facilitator === zeroAddress ? null : facilitator,
    paymentRail: String(args.paymentRail),
    token,
    amount: BigInt(args.amount ?? 0),
    fee: BigInt(args.protocolFeeAmount ?? 0),
    time,
    isSelf: agent === seller?.owner || agent === seller?.payout,
  };
}

function fillOf({ solver = "", amountIn = "", amountOut = "" }: Args, time: bigint, block: bigint, of: Row<"intent">) {
  const minimum = BigInt(of.amountOutMin);
  return {
    solver,
    owner: of.owner,
    inputToken: of.inputToken,
    outputToken: of.outputToken,
    amountIn: BigInt(amountIn),
    surplus: BigInt(amountOut) - minimum,
    minimum,
    blocks: block - BigInt(of.blockNumber),
    time,
  };
}
