import { zeroAddress } from "viem";
import type { Row } from "../index-of";
import { known, type Rows } from "./chain";

type Hour = Row<"participantHour">;
type Pair = Row<"counterparty">;
type Kind = Hour["kind"];

/** One event that counts for one metric of a participant. */
type Counted = Pick<Hour, "kind" | "key" | "metric" | "token"> & { time: string; amount: bigint; isSelf?: boolean };

/** One receipt or fill of a participant and a counterparty. */
type Deal = Pick<Pair, "kind" | "key" | "token" | "counterparty" | "isSelf"> & {
  proof: "settlements" | "facilitated" | "claims";
  time: string;
  amount: bigint;
};

type Source = {
  logs: readonly Row<"eventLog">[];
  intents: readonly Row<"intent">[];
  fills: readonly Row<"fill">[];
  receipts: readonly Row<"receipt">[];
};

/** The first second of the hour of a time, by the calendar. */
const hourOf = (time: string) =>
  String(Date.parse(`${new Date(Number(time) * 1000).toISOString().slice(0, 13)}:00:00Z`) / 1000);

/** The logs of an event in chain order, with their arguments. */
const logsOf = (logs: Source["logs"], ...names: string[]) =>
  logs
    .filter(({ name }) => names.includes(name))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, name, blockTimestamp: time, args }) => {
      const values = new Map(Object.entries<string>(JSON.parse(args)));
      return { id, name, time, of: (argument: string) => known(values, argument) };
    });

/** The owner and the payout address of the merchant of each receipt, when the receipt was recorded. */
function sellersOf(logs: Source["logs"]): Map<string, string[]> {
  const changes = logsOf(logs, "MerchantRegistered", "MerchantUpdated");
  return new Map(
    logsOf(logs, "ReceiptRecorded").map((recorded) => {
      const earlier = changes.filter(
        (log) => log.of("merchantId") === recorded.of("merchantId") && log.id < recorded.id,
      );
      const owners = earlier.filter(({ name }) => name === "MerchantRegistered").map((log) => log.of("owner"));
      return [recorded.of("receiptId"), [...owners, ...earlier.slice(-1).map((log) => log.of("payoutAddress"))]];
    }),
  );
}

const proofs = { settlement: "settlements", facilitator: "facilitated", claim: "claims" } as const;

function dealsOfReceipts({ logs, receipts }: Source): Deal[] {
  const sellers = sellersOf(logs);
  return receipts.flatMap((receipt) => {
    const { token, agent, merchantId, settledAt: time } = receipt;
    const amount = BigInt(receipt.amount);
    const isSelf = known(sellers, receipt.receiptId).includes(agent);
    const deal = (kind: Kind, key: string, counterparty: string): Deal => {
      return { kind, key, token, counterparty, isSelf, proof: proofs[receipt.paymentProof], time, amount };
    };
    const deals = [
      deal("agent", agent, merchantId),
      deal("merchant", merchantId, agent),
      deal("service", receipt.serviceNumericId, agent),
      deal("facilitator", receipt.facilitator, agent),
    ];
    return deals.filter(({ kind, key }) => kind !== "facilitator" || key !== zeroAddress);
  });
}

/** A receipt counts for each party that has a deal, and for its payment rail. */
function countedReceipts({ receipts }: Source, deals: readonly Deal[]): Counted[] {
  const ofParties = deals.flatMap(({ kind, key, token, time, amount, isSelf }): Counted[] => {
    const one = { kind, key, token, time, amount };
    const counted = { ...one, metric: "receipts" as const, isSelf };
    return isSelf ? [counted, { ...one, metric: "self_receipts" }] : [counted];
  });
  const ofRails = receipts.map(({ paymentRail, token, settledAt: time, amount }): Counted => {
    return { kind: "payment_rail", key: String(paymentRail), metric: "receipts", token, time, amount: BigInt(amount) };
  });
  return [...ofParties, ...ofRails];
}

/** What counts for a solver, beside fills. The selected solver of a cancelled intent can't change. */
function countedForSolvers({ logs, intents }: Source): Counted[] {
  const counted = (key: string | null, metric: Counted["metric"], time: string): Counted[] =>
    key === null ? [] : [{ kind: "solver", key, metric, token: "", time, amount: 0n }];
  const selections = logsOf(logs, "SolverBidSelected");
  const wins = selections.filter((log, index) => {
    const earlier = selections.slice(0, index).filter((one) => one.of("intentId") === log.of("intentId"));
    return earlier.at(-1)?.of("solver") !== log.of("solver");
  });
  const selected = new Map(intents.map((intent) => [intent.intentId, intent.selectedSolver]));
  const owners = new Map(intents.map((intent) => [intent.intentId, intent.owner]));
  return [
    ...logsOf(logs, "SolverBidSubmitted").flatMap((log) => counted(log.of("solver"), "bids", log.time)),
    ...wins.flatMap((log) => counted(log.of("solver"), "wins", log.time)),
    ...wins
      .filter((log) => log.of("solver") === known(owners, log.of("intentId")))
      .flatMap((log) => counted(log.of("solver"), "self_wins", log.time)),
    ...logsOf(logs, "IntentCancelled").flatMap((log) =>
      counted(known(selected, log.of("intentId")), "cancelled", log.time),
    ),
  ];
}

function countedFills({ intents, fills }: Source): Counted[] {
  const byId = new Map(intents.map((intent) => [intent.intentId, intent]));
  return fills.flatMap(({ intentId, solver: key, amountIn, amountOut, filledAt: time }) => {
    const { owner, inputToken, outputToken, amountOutMin } = known(byId, intentId);
    const [minimum, surplus] = [BigInt(amountOutMin), BigInt(amountOut) - BigInt(amountOutMin)];
    const of = { kind: "solver", key, time } as const;
    const counted: Counted[] = [
      { ...of, metric: "fills", token: inputToken, amount: BigInt(amountIn), isSelf: owner === key },
      { ...of, metric: "surplus", token: outputToken, amount: surplus, isSelf: owner === key },
    ];
    if (minimum !== 0n)
      counted.push({ ...of, metric: "surplus_bps", token: "", amount: (10_000n * surplus) / minimum });
    if (owner === key) {
      counted.push({ ...of, metric: "self_fills", token: inputToken, amount: BigInt(amountIn) });
      counted.push({ ...of, metric: "self_surplus", token: outputToken, amount: surplus });
    }
    return counted;
  });
}

const dealsOfFills = ({ fills }: Source): Deal[] =>
  fills.map(({ solver, owner, inputToken, filledAt, amountIn }) => ({
    ...{ kind: "solver", key: solver, token: inputToken, counterparty: owner, isSelf: solver === owner },
    ...{ proof: "settlements", time: filledAt, amount: BigInt(amountIn) },
  }));

/** The items by a key, each with those that have it. */
function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => (string | bigint)[]): [Item, ...Item[]][] {
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const key = keyOf(item).join(" ");
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()];
}

const sumOf = (counted: readonly Counted[]) => String(counted.reduce((sum, { amount }) => sum + amount, 0n));

function pairRows(deals: readonly Deal[]): Pair[] {
  return grouped(deals, ({ kind, key, token, counterparty }) => [kind, key, token, counterparty]).map((same) => {
    const [{ kind, key, token, counterparty }] = same;
    const proven = (by: Deal["proof"]) => same.filter(({ proof }) => proof === by).length;
    return {
      ...{ kind, key, token, counterparty },
      settlements: proven("settlements"),
      facilitated: proven("facilitated"),
      claims: proven("claims"),
      isSelf: same.some(({ isSelf }) => isSelf),
      last: String(Math.max(...same.map(({ time }) => Number(time)))),
    };
  });
}

/** 10 for each settlement, 6 for each receipt of a facilitator and 1 for each claim, at most 30. */
const creditOf = ({ settlements, facilitated, claims }: Pair) =>
  Math.min(30, 10 * settlements + 6 * facilitated + claims);

function totalRows(counted: readonly Counted[], pairs: readonly Pair[]): Row<"participantTotal">[] {
  return grouped(counted, ({ kind, key, metric, token }) => [kind, key, metric, token]).map((same) => {
    const [{ kind, key, metric, token }] = same;
    const own = pairs.filter((pair) => pair.kind === kind && pair.key === key && pair.token === token && !pair.isSelf);
    const others = metric === "receipts" || metric === "fills" ? own : [];
    return {
      ...{ kind, key, metric, token },
      count: same.length,
      amount: sumOf(same.filter(({ isSelf }) => !isSelf)),
      counterparties: others.length,
      credit: others.reduce((sum, pair) => sum + creditOf(pair), 0),
    };
  });
}

const hourRows = (counted: readonly Counted[]): Hour[] =>
  grouped(counted, ({ kind, key, metric, token, time }) => [kind, key, metric, token, hourOf(time)]).map((same) => {
    const [{ kind, key, metric, token, time }] = same;
    return { kind, key, metric, token, start: hourOf(time), count: same.length, amount: sumOf(same) };
  });

function latencyRows({ intents, fills }: Source): Row<"fillLatency">[] {
  const byId = new Map(intents.map((intent) => [intent.intentId, intent]));
  const latencies = fills.flatMap(({ intentId, solver, blockNumber, filledAt }) => {
    const blocks = String(BigInt(blockNumber) - BigInt(known(byId, intentId).blockNumber));
    return [hourOf(filledAt), "-1"].map((start) => ({ solver, start, blocks }));
  });
  return grouped(latencies, ({ solver, start, blocks }) => [solver, start, blocks]).map((same) => {
    const [latency] = same;
    return { ...latency, count: same.length };
  });
}

/** The records of all participants, computed from all logs and the final state. */
export function participantRows(
  source: Source,
): Rows<"participantHour" | "participantTotal" | "counterparty" | "fillLatency"> {
  const deals = dealsOfReceipts(source);
  const counted = [...countedReceipts(source, deals), ...countedForSolvers(source), ...countedFills(source)];
  const pairs = pairRows([...deals, ...dealsOfFills(source)]);
  return {
    participantHour: hourRows(counted),
    participantTotal: totalRows(counted, pairs),
    counterparty: pairs,
    fillLatency: latencyRows(source),
  };
}
