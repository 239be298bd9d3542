import type { Context } from "ponder:registry";
import { counterparty } from "ponder:schema";
import { creditOf, type ProvenReceipts } from "../../common/rows/credit";
import type { Participant, ParticipantKind } from "./participants";

type Pair = Participant & { token: string; counterparty: string };

/** What an event adds to the numbers of its pairs, and the time of the receipt or fill. */
type Change = Partial<Omit<ProvenReceipts, "isSelf">> & { isSelf: boolean; time: bigint };

const noReceipts: ProvenReceipts = { settlements: 0, facilitated: 0, claims: 0, isSelf: false };

const plus = (before: ProvenReceipts, { settlements = 0, facilitated = 0, claims = 0, isSelf }: Change) => ({
  settlements: before.settlements + settlements,
  facilitated: before.facilitated + facilitated,
  claims: before.claims + claims,
  isSelf: before.isSelf || isSelf,
});

/** What a pair adds to the total of its participant. A pair without a row adds nothing. */
const givenBy = (pair: ProvenReceipts | null) => ({
  counterparties: pair && !pair.isSelf ? 1 : 0,
  credit: pair ? creditOf(pair) : 0,
});

/**
 * Adds to pairs of participants of different kinds. Returns, by kind, the changes of the participants' numbers of
 * counterparties and of the credit that they give.
 */
export async function addToPairs(db: Context["db"], pairs: readonly Pair[], change: Change) {
  const { time } = change;
  const before = new Map<ParticipantKind, ProvenReceipts>();
  const first = plus(noReceipts, change);
  const updated = await db
    .insert(counterparty)
    .values(pairs.map((pair) => ({ ...pair, ...first, last: time })))
    .onConflictDoUpdate((row) => {
      const { kind, settlements, facilitated, claims, isSelf } = row;
      const now = { settlements, facilitated, claims, isSelf };
      before.set(kind, now);
      return { ...plus(now, change), last: row.last > time ? row.last : time };
    });
  return new Map(
    updated.map((pair) => {
      const [was, is] = [givenBy(before.get(pair.kind) ?? null), givenBy(pair)];
      const difference = { counterparties: is.counterparties - was.counterparties, credit: is.credit - was.credit };
      return [pair.kind, difference] as const;
    }),
  );
}
