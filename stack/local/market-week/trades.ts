import { parseUnits, zeroHash } from "viem";
import { signIntent } from "../../../client/src/intents";
import { anyExecution } from "../../../common/intent";
import type { ListedToken } from "../../../config/token-list";
import type { Contracts } from "../deploy";
import { sampleCounts } from "../sample/index";
import { hashOf } from "../sample/people";
import type { Batch } from "./batch";
import type { Session } from "./calendar";
import { type Agent, agents, type Solver, solvers } from "./cast";
import type { Random } from "./random";
import type { Prices, Traded, TradedSymbol } from "./tokens";

/**
 * How an intent ends. Without a fill, it is open until its deadline. Nobody may bid, the owner may not decide, or the selected
 * solver may fail to fill it.
 */
type Outcome = "filled" | "cancelled" | "unanswered" | "undecided" | "failed";

type Trade = {
  agent: Agent;
  sell: TradedSymbol;
  buy: TradedSymbol;
  dollars: number;
  outcome: Outcome;
  minutes: number;
  bidders: readonly Solver[];
};

type Bid = { solver: Solver; amountIn: bigint; amountOut: bigint };
export type OpenTrade = Trade & { intentId: bigint; deadline: bigint; bids: readonly Bid[] };

/** What agents change for what, and how often. */
const pairs: readonly { sell: TradedSymbol; buy: TradedSymbol; weight: number }[] = [
  { sell: "tUSD", buy: "tWETH", weight: 6 },
  { sell: "tWETH", buy: "tUSD", weight: 4 },
  { sell: "tUSD", buy: "tBTC", weight: 5 },
  { sell: "tBTC", buy: "tUSD", weight: 2 },
  { sell: "tUSD", buy: "tEUR", weight: 4 },
  { sell: "tEUR", buy: "tUSD", weight: 1 },
];

const outcomes: readonly { outcome: Outcome; weight: number }[] = [
  { outcome: "filled", weight: 77 },
  { outcome: "unanswered", weight: 10 },
  { outcome: "cancelled", weight: 8 },
  { outcome: "failed", weight: 5 },
];

/** The digits after the point of an amount that is sold, of a minimum, and of an offer. */
const digits: Readonly<Record<TradedSymbol, { sold: number; minimum: number; offered: number }>> = {
  tUSD: { sold: 0, minimum: 0, offered: 2 },
  tEUR: { sold: 0, minimum: 0, offered: 2 },
  tWETH: { sold: 2, minimum: 3, offered: 5 },
  tBTC: { sold: 3, minimum: 5, offered: 6 },
};

const SLIPPAGE_BPS = 50;
const FEE_BPS = 2;
const WHOLE_BPS = 10_000;

function biddersOf(count: number, random: Random): Solver[] {
  const chosen: Solver[] = [];
  for (let index = 0; index < count; index++) {
    const others = solvers.filter((solver) => !chosen.includes(solver));
    chosen.push(random.pick(others, ({ reach }) => reach));
  }
  return chosen;
}

/** The part of late intents that are not decided, and the least time that they have, in minutes. */
const UNDECIDED = 0.4;
const LATE_MINUTES = 360;

function planTrade({ day, isLate }: Session, random: Random): Trade {
  const agent = random.pick(agents, ({ trades }) => trades);
  const { sell, buy } = random.pick(pairs, ({ weight }) => weight);
  const planned = random.pick(outcomes, ({ weight }) => weight).outcome;
  const outcome = isLate && random.chance(UNDECIDED) ? "undecided" : planned;
  const bidders = 1 + Number(random.chance(0.5)) + Number(random.chance(0.15));
  return {
    ...{ agent, sell, buy, outcome },
    dollars: agent.dollars * (0.7 + 0.18 * day) * random.between(0.5, 1.8),
    minutes: isLate ? LATE_MINUTES : random.pick([30, 60, 120, 240]),
    bidders: outcome === "unanswered" ? [] : biddersOf(bidders, random),
  };
}

const agentNamed = (name: Agent["name"]): Agent => {
  const found = agents.find((agent) => agent.name === name);
  if (!found) throw new Error(`No agent is called ${name}`);
  return found;
};

/** A large order, for which six solvers compete. */
const largeTrade: Trade = {
  ...{ agent: agentNamed("Tidewatch"), sell: "tUSD", buy: "tBTC", dollars: 18_000, minutes: 60, outcome: "filled" },
  bidders: solvers.slice(0, 6),
};

/** An intent of the last hours: all solvers have offered, and its owner has not decided. */
const contestedTrade: Trade = {
  ...{ agent: agentNamed("Ledger Scout"), sell: "tUSD", buy: "tWETH", dollars: 25_000, minutes: LATE_MINUTES },
  ...{ outcome: "undecided", bidders: [...solvers].reverse() },
};

const LARGE_TRADE_DAY = 4;

export type TradeDesk = {
  /** Submits the intents of a session, and the bids on them. */
  open: (batch: Batch, session: Session, prices: Prices) => Promise<void>;
  /** Selects bids and fills the intents of the session, or cancels them. */
  close: (batch: Batch) => void;
  /** The intent for which all solvers compete. */
  contested: () => OpenTrade;
};

/** The market of intents. Its ids follow those of the sample. */
export function tradeDesk(
  { contracts, chainId }: { contracts: Contracts; chainId: number },
  traded: Traded,
  random: Random,
): TradeDesk {
  let intentCount: bigint = sampleCounts.intents;
  let opened: OpenTrade[] = [];
  let contested: OpenTrade | undefined;
  const units = ({ decimals }: ListedToken, amount: number, places: number) =>
    parseUnits((Math.floor(amount * 10 ** places) / 10 ** places).toFixed(places), decimals);

  /** What a trade sells, and what it is worth in the other token. */
  function amountsOf({ sell, buy, dollars }: Trade, prices: Prices) {
    const step = 10 ** digits[sell].sold;
    const rounded = digits[sell].sold === 0 ? Math.round(dollars / 10) * 10 : dollars / prices[sell];
    const sold = Math.max(1, Math.round(rounded * step)) / step;
    return { sold, fair: (sold * prices[sell]) / prices[buy] };
  }

  async function submit(batch: Batch, trade: Trade, time: bigint, prices: Prices): Promise<OpenTrade> {
    const { agent, sell, buy, minutes } = trade;
    const { sold, fair } = amountsOf(trade, prices);
    const [sellToken, buyToken] = [traded[sell], traded[buy]];
    const amountInMax = units(sellToken, sold, digits[sell].sold);
    const minimum = fair * (1 - SLIPPAGE_BPS / WHOLE_BPS);
    const intentId = ++intentCount;
    const deadline = time + BigInt(60 * minutes);
    const signed = await signIntent(
      agent.account,
      {
        owner: agent.account.address,
        intentType: 0,
        constraints: {
          ...{ amountInMax, deadline, slippageBps: SLIPPAGE_BPS },
          amountOutMin: units(buyToken, minimum, digits[buy].minimum),
        },
        execution: anyExecution,
        inputToken: sellToken.address,
        outputToken: buyToken.address,
        nonce: intentId,
      },
      { intentBook: contracts.IntentBook, chainId },
    );
    batch.call(agent.account, "IntentBook", "submitIntent", signed);
    const bids = trade.bidders.map((solver) => {
      const kept = (solver.edge + random.between(-5, 14)) / WHOLE_BPS;
      return {
        ...{ solver, amountIn: amountInMax },
        amountOut: units(buyToken, fair * (1 - kept), digits[buy].offered),
      };
    });
    const fee = (amountInMax * BigInt(FEE_BPS)) / BigInt(WHOLE_BPS);
    for (const { solver, amountIn, amountOut } of bids) {
      const route = hashOf(`route ${intentId} ${solver.name}`);
      batch.call(solver.account, "IntentBook", "submitBid", [intentId, amountIn, amountOut, fee, deadline, route]);
    }
    return { ...trade, intentId, deadline, bids };
  }

  /** The owner selects the best offer, and its solver fills the intent. */
  function settle({ call }: Batch, { agent, intentId, bids, outcome }: OpenTrade): void {
    const best = bids.reduce((one, other) => (other.amountOut > one.amountOut ? other : one));
    const { solver, amountIn, amountOut } = best;
    call(agent.account, "IntentBook", "selectBid", [intentId, BigInt(bids.indexOf(best) + 1)]);
    if (outcome !== "filled") return;
    call(solver.account, "IntentBook", "fillIntent", [
      intentId,
      {
        ...{ amountIn, amountOut, solver: solver.account.address, executionData: "0x" },
        ...{ resultHash: hashOf(`result ${intentId}`), traceHash: zeroHash, attestationId: 0n },
      },
    ]);
  }

  return {
    async open(batch, session, prices) {
      const { day, isFirst, isLate, opensAt, trades } = session;
      const planned = Array.from({ length: trades }, () => planTrade(session, random));
      if (day === LARGE_TRADE_DAY && isFirst) planned.push(largeTrade);
      if (isLate && !contested) contested = await submit(batch, contestedTrade, opensAt, prices);
      for (const trade of planned) opened.push(await submit(batch, trade, opensAt, prices));
    },
    close(batch) {
      for (const trade of opened) {
        if (trade.outcome === "cancelled")
          batch.call(trade.agent.account, "IntentBook", "cancelIntent", [trade.intentId]);
        if (trade.outcome === "filled" || trade.outcome === "failed") settle(batch, trade);
      }
      opened = [];
    },
    contested() {
      if (!contested) throw new Error("The week has no late session yet");
      return contested;
    },
  };
}
