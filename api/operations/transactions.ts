import { eq, inArray, sql } from "drizzle-orm";
import type { Hex } from "viem";
import { blockOfEvent } from "../../common/rows/event-id";
import { eventLog, intent } from "../../ponder.schema";
import { NotFound } from "../core/errors";
import { hash } from "../core/inputs";
import { operation, z } from "../core/operation";
import { addressText, hashText, timeText, uintText } from "../core/outputs";
import { describeEvent } from "../events/describe-event";
import { eventsAboutIntents, factsAbout } from "../events/facts";
import { EventArguments } from "../events/message";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";

const Explanation = z
  .strictObject({
    tx_hash: hashText,
    block_number: uintText,
    block_timestamp: timeText,
    from: addressText,
    to: addressText.nullable(),
    status: z.literal("success"),
    summary: z.string().openapi({ example: "Transaction contained 1 event(s)" }),
    events: z.array(
      z.strictObject({
        eventName: z.string().openapi({ example: "IntentSubmitted" }),
        args: z.record(z.string(), z.unknown()).openapi({ example: { intentId: "1" } }),
        description: z
          .string()
          .openapi({ example: "Intent #1 submitted by 0x70997970c51812dc3a010c7d01b50e0d17dc79c8" }),
      }),
    ),
  })
  .openapi("TransactionExplanation");

/** How long a request waits for tokens that were never read. */
const TOKEN_WAIT_MS = 300;

/** How many events are described at a time. A transaction can have thousands, and other requests must not wait for all. */
const SLICE = 100;

/** Maps items, and lets other requests run in between. */
async function mapInSlices<Item, Value>(items: readonly Item[], map: (item: Item) => Value): Promise<Value[]> {
  const values: Value[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % SLICE === 0) await new Promise((resolve) => setImmediate(resolve));
    values.push(map(item));
  }
  return values;
}

/** The intent of an event with amounts of its tokens. */
const aboutIntent = sql`CASE WHEN ${inArray(eventLog.name, [...eventsAboutIntents])} THEN (${eventLog.args}::json ->> 'intentId')::numeric END`;

const selectEvents = preparedQuery((db, { hash }: Placeholders<{ hash: Hex }>) =>
  db
    .select({
      id: eventLog.id,
      name: eventLog.name,
      args: eventLog.args,
      from: eventLog.txFrom,
      to: eventLog.txTo,
      timestamp: eventLog.blockTimestamp,
      inputToken: intent.inputToken,
      outputToken: intent.outputToken,
    })
    .from(eventLog)
    .leftJoin(intent, eq(intent.intentId, aboutIntent))
    .where(eq(eventLog.txHash, hash))
    .orderBy(eventLog.id),
);

const explainTransaction = operation({
  route: "GET /tx/{hash}/explain",
  summary: "The protocol events of a transaction, in order.",
  description: "Each with its arguments and a sentence about it.",
  input: z.object({ hash }),
  output: Explanation,
  errors: [404],
  example: { hash: `0x${"1f".repeat(32)}` },
  dependsOn: ["index", "time"],
  async run({ db, tokens }, { hash }, caller) {
    const rows = await selectEvents(db, { hash });
    const [first] = rows;
    if (!first) throw new NotFound(`Transaction ${hash} has no indexed events`);
    const events = await mapInSlices(rows, ({ name, args }) => ({
      name,
      args: EventArguments.parse(JSON.parse(args)),
    }));
    const intents: [string, { inputToken: Hex; outputToken: Hex }][] = rows.flatMap(
      ({ inputToken, outputToken }, index) =>
        inputToken && outputToken ? [[String(events[index]?.args.intentId), { inputToken, outputToken }]] : [],
    );
    const facts = await factsAbout(tokens, events, new Map(intents), TOKEN_WAIT_MS, caller);
    return {
      tx_hash: hash,
      block_number: String(blockOfEvent(first.id)),
      block_timestamp: String(first.timestamp),
      from: first.from,
      to: first.to,
      // A transaction that fails emits no events.
      status: "success" as const,
      summary: `Transaction contained ${rows.length} event(s)`,
      events: await mapInSlices(events, ({ name, args }) => ({
        eventName: name,
        args,
        description: describeEvent(name, args, facts),
      })),
    };
  },
});

export const transactions = { explain: explainTransaction };
