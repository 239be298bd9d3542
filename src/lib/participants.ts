import type { Context } from "ponder:registry";
import { participantHour, type participantKinds, type participantMetrics, participantTotal } from "ponder:schema";
import { startOf } from "../../common/rows/interval";

export type ParticipantKind = (typeof participantKinds)[number];

export type Participant = { kind: ParticipantKind; key: string };

/** A metric of a participant. */
type Subject = Participant & { metric: (typeof participantMetrics)[number] };

/** What one event adds to a metric of a participant. */
export type Addition = Subject & {
  token: string;
  amount: bigint;
  /** Whether the participant is its own counterparty. Then the total leaves out the amount. */
  isSelf?: boolean;
  /** The change in the participant's number of counterparties, and in the credit that they give. */
  counterparties?: number;
  credit?: number;
};

/** Where and when an event happened. */
export type Happened = { context: Pick<Context, "db">; event: { block: { timestamp: bigint } } };

/** The addition of a row. Two additions of one event differ in kind, metric or key. */
const additionOf = (additions: readonly Addition[], { kind, key, metric }: Subject): Addition => {
  const found = additions.find((one) => one.kind === kind && one.metric === metric && one.key === key);
  if (!found) throw new Error(`Nothing is added to ${metric} of ${kind} ${key}`);
  return found;
};

/**
 * Counts one event in metrics of participants: in the hour of its block, and in the total. One call of the database for each
 * table, because calls cost indexing speed.
 *
 * @example
 * await addToParticipants({ context, event }, [{ kind: "solver", key: solver, metric: "fills", token, amount: 5n }]);
 */
export async function addToParticipants({ context, event }: Happened, additions: readonly Addition[]): Promise<void> {
  const start = startOf("hour", event.block.timestamp);
  const hours = additions.map(({ kind, key, metric, token, amount }) => {
    return { kind, key, metric, token, start, count: 1, amount };
  });
  const totals = additions.map(({ isSelf = false, ...addition }) => {
    return { ...addition, amount: isSelf ? 0n : addition.amount, count: 1 };
  });
  await context.db
    .insert(participantHour)
    .values(hours)
    .onConflictDoUpdate((row) => {
      return { count: row.count + 1, amount: row.amount + additionOf(additions, row).amount };
    });
  await context.db
    .insert(participantTotal)
    .values(totals)
    .onConflictDoUpdate((row) => {
      const { amount, isSelf = false, counterparties = 0, credit = 0 } = additionOf(additions, row);
      return {
        count: row.count + 1,
        amount: isSelf ? row.amount : row.amount + amount,
        counterparties: row.counterparties + counterparties,
        credit: row.credit + credit,
      };
    });
}
