import { dollarText, quotientText } from "./dollars";
import type { Facts, Receipt } from "./facts";
import {
  type BoardName,
  counterpartiesOf,
  descending,
  dollarsAt,
  grouped,
  isIn,
  type Market,
  sum,
  type Trade,
  tradesOf,
  type WindowName,
  windowNames,
  windowStart,
} from "./market";

// The rankings and records of participants, computed from all facts.

const fromOf = (window: WindowName, now: bigint) => {
  const start = windowStart(window, now);
  return start === null ? null : String(start);
};

/** The record of a participant, if it is registered. */
function recordOf({ merchants, services, agents, solvers, facilitators }: Facts, board: BoardName, key: string) {
  const merchant = (id: string | undefined) => merchants.find(({ merchantId }) => merchantId === id);
  const service = services.find(({ serviceNumericId }) => serviceNumericId === key);
  const none = { id: null, owner: null, service_id: null, merchant_id: null };
  const lowest = (ids: readonly string[]) => [...ids].sort((a, b) => Number(BigInt(a) - BigInt(b)))[0];
  const byAddress = (ids: readonly string[]) => {
    const id = lowest(ids);
    return id === undefined ? none : { ...none, id, owner: key };
  };
  switch (board) {
    case "merchants":
      return { ...none, id: key, owner: merchant(key)?.owner };
    case "services":
      return {
        id: key,
        owner: merchant(service?.merchantId)?.owner,
        service_id: service?.serviceId,
        merchant_id: service?.merchantId,
      };
    case "agents":
      return byAddress(agents.filter(({ owner }) => owner === key).map(({ agentId }) => agentId));
    case "solvers":
      return byAddress(solvers.filter(({ operator }) => operator === key).map(({ solverId }) => solverId));
    case "facilitators":
      return byAddress(
        facilitators.filter(({ facilitator }) => facilitator === key).map(({ facilitatorId }) => facilitatorId),
      );
  }
}

const dollarsIn = (market: Market, trades: readonly Trade[]) =>
  sum(trades.map(({ token, amount, time }) => dollarsAt(market, token, amount, time)));

/** GET /leaderboard/{board} */
export function expectedLeaderboard(market: Market, board: BoardName, window: WindowName) {
  const { facts, listed, now } = market;
  const participants = [...grouped(tradesOf(facts, board), ({ key }) => key)].map(([key, trades]) => {
    const inWindow = trades.filter(({ token }) => listed.has(token)).filter(isIn(window, now));
    const own = inWindow.filter(({ isSelf }) => isSelf);
    const counted = inWindow.filter((trade) => !own.includes(trade));
    return {
      key,
      dollars: dollarsIn(market, counted),
      counterparties: counterpartiesOf(trades, listed),
      count: counted.length,
      selfCount: own.length,
    };
  });
  const ranking = participants
    .filter(({ count }) => count > 0)
    .sort(
      descending(
        ({ dollars, counterparties, count }) => [dollars, counterparties, count],
        ({ key }) => key,
      ),
    )
    .map(({ key, dollars, counterparties, count, selfCount }, index) => ({
      rank: index + 1,
      key,
      name: null,
      ...recordOf(facts, board, key),
      volume_usd: dollarText(dollars),
      counterparties: String(counterparties),
      count: String(count),
      self_count: String(selfCount),
    }));
  return { board, window, from: fromOf(window, now), ranking };
}

const rate = (wins: number, bids: number) =>
  bids === 0 ? null : quotientText(BigInt(Math.min(wins, bids)), BigInt(bids));

/** What one solver did in a window, with or without its own intents. */
function solverSums(market: Market, solver: string, window: WindowName, { countsOwn }: { countsOwn: boolean }) {
  const { facts, listed, now } = market;
  const isOfOthers = (owner: string) => countsOwn || owner !== solver;
  const own = <Item extends { solver: string; time: bigint }>(items: readonly Item[]) =>
    items.filter((item) => item.solver === solver).filter(isIn(window, now));
  const all = { fills: own(facts.fills), wins: own(facts.wins) };
  const fills = all.fills.filter(({ owner }) => isOfOthers(owner));
  const dollars = (of: (fill: (typeof fills)[number]) => [string, bigint]) =>
    sum(fills.map((fill) => dollarsAt(market, ...of(fill), fill.time)));
  return {
    fills,
    bids: own(facts.bids).length,
    wins: all.wins.filter(({ isSelf }) => !isSelf || countsOwn).length,
    cancelled: own(facts.cancelled).length,
    listedFills: fills.filter(({ inputToken }) => listed.has(inputToken)).length,
    volume: dollars(({ inputToken, amountIn }) => [inputToken, amountIn]),
    surplus: dollars(({ outputToken, surplus }) => [outputToken, surplus]),
  };
}

function medianText(values: readonly bigint[]): string | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => Number(a - b));
  const at = (index: number) => sorted[Math.floor(index)] ?? 0n;
  return quotientText(at((sorted.length - 1) / 2) + at(sorted.length / 2), 2n);
}

function expectedWindow(market: Market, solver: string, window: WindowName) {
  const { fills, bids, wins, cancelled, volume, surplus } = solverSums(market, solver, window, { countsOwn: true });
  const { facts, now } = market;
  const start = windowStart(window, now) ?? 0n;
  const expired = facts.open.filter(
    (selection) => selection.solver === solver && selection.deadline >= start && selection.deadline <= now,
  );
  const points = fills.flatMap(({ surplus: beyond, minimum }) => (minimum > 0n ? [(beyond * 10_000n) / minimum] : []));
  return {
    window,
    from: fromOf(window, now),
    bids: String(bids),
    wins: String(wins),
    win_rate: rate(wins, bids),
    fills: String(fills.length),
    failed_fills: String(cancelled + expired.length),
    median_latency_blocks: medianText(fills.map(({ blocks }) => blocks)),
    avg_surplus_bps: points.length === 0 ? null : quotientText(sum(points), BigInt(points.length)),
    surplus_usd: dollarText(surplus),
    volume_usd: dollarText(volume),
  };
}

/** GET /solvers/{id}/performance */
export const expectedPerformance = (
  market: Market,
  { solverId, operator }: { solverId: string; operator: string },
) => ({
  solver_id: solverId,
  operator,
  windows: windowNames.map((window) => expectedWindow(market, operator, window)),
});

export const criteria = ["volume", "fills", "win_rate", "surplus"] as const;
export type Criterion = (typeof criteria)[number];

/** GET /solvers/leaderboard */
export function expectedSolvers(market: Market, by: Criterion, window: WindowName) {
  const { facts, listed, now } = market;
  const trades = grouped(tradesOf(facts, "solvers"), ({ key }) => key);
  const names = new Set([...facts.fills, ...facts.bids, ...facts.wins].map(({ solver }) => solver));
  // Rankings of all time choose among the solvers that have filled or won something.
  const candidates = window === "all" ? [...names].filter((name) => hasActivity(facts, name)) : [...names];
  const solvers = candidates.map((solver) => ({
    solver,
    counterparties: counterpartiesOf(trades.get(solver) ?? [], listed),
    ...solverSums(market, solver, window, { countsOwn: false }),
  }));
  type Solver = (typeof solvers)[number];
  const exactRate = ({ wins, bids }: Solver) =>
    bids === 0 ? -1n : (BigInt(Math.min(wins, bids)) * 10n ** 30n) / BigInt(bids);
  const first: Record<Criterion, (one: Solver) => (bigint | number)[]> = {
    volume: () => [],
    fills: ({ listedFills }) => [listedFills],
    win_rate: (one) => [one.bids >= 10 ? 1 : 0, exactRate(one)],
    surplus: ({ surplus }) => [surplus],
  };
  const isRanked: Record<Criterion, (one: Solver) => boolean> = {
    volume: ({ listedFills }) => listedFills > 0,
    fills: ({ listedFills }) => listedFills > 0,
    win_rate: ({ bids }) => bids > 0,
    surplus: ({ surplus }) => surplus > 0n,
  };
  const ranking = solvers
    .filter(isRanked[by])
    .sort(
      descending(
        (one) => [...first[by](one), one.volume, one.counterparties, one.listedFills],
        ({ solver }) => solver,
      ),
    )
    .map((one, index) => ({
      rank: index + 1,
      solver: one.solver,
      solver_id: recordOf(facts, "solvers", one.solver).id,
      name: null,
      bids: String(one.bids),
      wins: String(one.wins),
      win_rate: rate(one.wins, one.bids),
      fills: String(one.listedFills),
      volume_usd: dollarText(one.volume),
      surplus_usd: dollarText(one.surplus),
      counterparties: String(one.counterparties),
    }));
  return { by, window, from: fromOf(window, now), ranking };
}

/** Solvers with a row of activity: an intent selected them. Only they can fill. */
const hasActivity = ({ wins }: Facts, name: string) => wins.some(({ solver }) => solver === name);

const volumeOf = (receipts: readonly Receipt[]) => ({
  receipts: String(receipts.length),
  settled_volume: String(sum(receipts.map(({ amount }) => amount))),
  protocol_fees: String(sum(receipts.map(({ fee }) => fee))),
});

/** The money of GET /analytics/commerce. */
export function expectedCommerce(market: Market) {
  const { facts, listed } = market;
  const dollars = (receipts: readonly Receipt[]) =>
    sum(receipts.map(({ token, amount, time }) => dollarsAt(market, token, amount, time)));
  const ranking = <Row>(
    keyOf: (one: Receipt) => string | null,
    rowOf: (key: string, of: Receipt[]) => Row,
    board?: BoardName,
  ) => {
    const receipts = facts.receipts.filter((one) => keyOf(one) !== null);
    const trades = board ? grouped(tradesOf(facts, board), ({ key }) => key) : undefined;
    /** What counts: of participants, not what they pay to themselves. */
    const counted = (of: readonly Receipt[]) =>
      of.filter(({ token, isSelf }) => listed.has(token) && !(board && isSelf));
    return [...grouped(receipts, (one) => String(keyOf(one)))]
      .map(([key, of]) => ({ key, of, counterparties: counterpartiesOf(trades?.get(key) ?? [], listed) }))
      .sort(
        descending(
          ({ of, counterparties }) => [
            dollars(counted(of)),
            counterparties,
            counted(of).length,
            counted(of).length === 0 ? sum(of.map(({ amount }) => amount)) : 0n,
          ],
          ({ key }) => key,
        ),
      )
      .slice(0, 20)
      .map(({ key, of, counterparties }) => ({
        ...rowOf(key, of),
        ...volumeOf(of),
        settled_volume_usd: dollarText(dollars(counted(of))),
        ...(board && { counterparties: String(counterparties) }),
      }));
  };
  const tokens = ranking(
    ({ token }) => token,
    (token) => ({ token, listed: listed.has(token) }),
  );
  return {
    settled_volume_usd: dollarText(dollars(facts.receipts)),
    volume_by_token: tokens,
    unlisted_volume: tokens
      .filter((row) => !row.listed)
      .map(({ token, receipts, settled_volume, protocol_fees }) => ({
        token,
        receipts,
        settled_volume,
        protocol_fees,
      })),
    top_merchants: ranking(
      ({ merchantId }) => merchantId,
      (key) => ({ merchant_id: key, owner: recordOf(facts, "merchants", key).owner }),
      "merchants",
    ),
    top_services: ranking(
      ({ serviceNumericId }) => serviceNumericId,
      (key) => {
        const { service_id, merchant_id } = recordOf(facts, "services", key);
        return { service_numeric_id: key, service_id, merchant_id };
      },
      "services",
    ),
    facilitator_volume: ranking(
      ({ facilitator }) => facilitator,
      (facilitator) => ({ facilitator }),
      "facilitators",
    ),
    volume_by_payment_rail: ranking(
      ({ paymentRail }) => paymentRail,
      (rail) => ({ payment_rail: Number(rail) }),
    ),
  };
}
