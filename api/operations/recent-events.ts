import { id, limit } from "../core/inputs";
import { operation, z } from "../core/operation";
import { blockOf, cursorOf, logIndexOf } from "../events/cursor";
import { describeEvent } from "../events/describe-event";
import { factsAbout } from "../events/facts";
import { candidateNames, matches, subjectsOf } from "../events/filter";
import { EventArguments, finalityOf, messageTypes } from "../events/message";
import { newestEvents } from "../events/newest-events";
import { eventFilter, filterOf } from "./events";

/** How many events a filter by subject searches. Subjects are in the arguments, which have no index. */
const SEARCHED = 1_000;

/** How long a request waits for tokens that were never read. */
const TOKEN_WAIT_MS = 300;

const RecentEvent = messageTypes.event.openapi("RecentEvent", {
  description: "A protocol event in the index. A reorg can remove it while it is pending.",
});

type RecentEvent = z.input<typeof RecentEvent>;

export const getRecentEvents = operation({
  route: "GET /events/recent",
  tool: "recent_events",
  summary: "The newest protocol events, newest first.",
  description: `Each with a sentence about it. Filters by subject search the newest ${SEARCHED.toLocaleString("en")} events that can match, up to 1 MiB of arguments. To follow what happens next, pass the first id as after to /events.`,
  input: z.object({
    ...eventFilter,
    block_number: id.optional().openapi({ description: "Only events of this block." }),
    limit,
  }),
  output: z.strictObject({ events: z.array(RecentEvent) }).openapi("RecentEvents"),
  example: { intent_id: "2", limit: "2" },
  dependsOn: ["index", "time"],
  async run({ db, tokens }, { limit, block_number, ...sent }, caller) {
    const filter = filterOf(sent);
    const { name, contract, ...bySubject } = filter;
    const names = Object.keys(filter).length > 0 ? candidateNames(filter) : undefined;
    const values = Object.values(bySubject).map(String);
    // Most events that can match are about other subjects. The database leaves them out before they are parsed.
    const searched = values.length > 0 ? SEARCHED : limit;
    const found = await newestEvents(db, { names, limit: searched, values, block: block_number });
    const selected = found
      .map((row) => {
        const cursor = cursorOf(row.event.id, row.event.blockHash);
        return { ...row, cursor, block: blockOf(cursor), args: EventArguments.parse(JSON.parse(row.event.args)) };
      })
      .filter(({ event, block, args }) => {
        const { name: event_name, contract } = event;
        return matches(filter, { event: event_name, contract, block, subjects: subjectsOf(event_name, args) });
      })
      .slice(0, limit);
    const intents = new Map(selected.flatMap(({ args, tokens }) => (tokens ? [[String(args.intentId), tokens]] : [])));
    const described = selected.map(({ event, args }) => ({ name: event.name, args }));
    const facts = await factsAbout(tokens, described, intents, TOKEN_WAIT_MS, caller);
    return {
      events: selected.map(
        ({ event, finalizedBlock, cursor, block, args }): RecentEvent => ({
          id: cursor.id,
          event: event.name,
          contract: event.contract,
          block_number: String(block),
          block_hash: event.blockHash,
          log_index: logIndexOf(cursor),
          timestamp: String(event.blockTimestamp),
          tx_hash: event.txHash,
          args,
          summary: describeEvent(event.name, args, facts),
          finality: finalityOf(block, finalizedBlock),
        }),
      ),
    };
  },
});

export const recentEvents = { recent: getRecentEvents };
