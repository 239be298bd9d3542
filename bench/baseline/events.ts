import { Router } from "express";
import { describeEvent } from "../../api/events/describe-event";
import type { EventFacts } from "../../api/events/facts";
import { candidateNames, type Filter, matches, subjectsOf } from "../../api/events/filter";
import { eventNames } from "../../api/events/protocol-events";
import { contractNames } from "../../config/contracts";
import { query } from "./database";
import { address, exactly, id, optional } from "./input";
import { limitOf } from "./list";
import { findTokens } from "./tokens";

export const events = Router();

type Arguments = Record<string, string | number | boolean>;

type IntentTokens = { intent_id: string; inputToken: `0x${string}`; outputToken: `0x${string}` };

/** The tokens of the events and of their intents. */
export async function factsAbout(found: readonly { name: string; args: Arguments }[]): Promise<EventFacts> {
  const about = found.filter(({ name }) => name === "IntentFilled" || name === "SolverBidSubmitted");
  const intents = await query<IntentTokens>(
    `SELECT intent_id, input_token AS "inputToken", output_token AS "outputToken" FROM intent
     WHERE intent_id = ANY ($1::numeric[])`,
    [about.map(({ args }) => args.intentId)],
  );
  const addresses = [
    ...intents.flatMap(({ inputToken, outputToken }) => [inputToken, outputToken]),
    ...found.flatMap(({ args }) => (args.token === undefined ? [] : String(args.token))),
  ];
  return {
    tokens: await findTokens(addresses),
    intents: new Map(intents.map((intent) => [intent.intent_id, intent])),
  };
}

/** How many events a filter by subject searches. */
const SEARCHED = 1_000;

type Row = {
  id: string;
  block_hash: string;
  timestamp: string;
  tx_hash: string;
  contract: string;
  name: string;
  args: Arguments;
};

const idOrAddress = (name: string, value: unknown) =>
  String(value).startsWith("0x") ? address(name, value) : id(name, value);

events.get("/events/recent", async (req, res) => {
  const limit = limitOf(req.query);
  const sent = {
    name: optional(exactly(...eventNames), "name", req.query),
    contract: optional(exactly(...contractNames), "contract", req.query),
    intent_id: optional(id, "intent_id", req.query),
    agent: optional(idOrAddress, "agent", req.query),
    merchant_id: optional(id, "merchant_id", req.query),
    account: optional(address, "account", req.query),
  };
  const filter = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)) as Filter;
  const { name, contract, ...bySubject } = filter;
  const rows = await query<Row>(
    `SELECT id, block_hash, block_timestamp AS timestamp, tx_hash, contract, name, args::json FROM event_log
     WHERE name = ANY ($1::text[]) ORDER BY id DESC LIMIT $2`,
    [candidateNames(filter), Object.keys(bySubject).length > 0 ? SEARCHED : limit],
  );
  // An event's id is its block number in 12 digits and its log index.
  const blockOf = (event: Row) => BigInt(event.id.slice(0, 12));
  const selected = rows
    .filter((event) => {
      const subjects = subjectsOf(event.name, event.args);
      return matches(filter, { event: event.name, contract: event.contract, block: blockOf(event), subjects });
    })
    .slice(0, limit);
  const facts = await factsAbout(selected);
  res.json({
    events: selected.map((event) => ({
      id: `${event.id}-${event.block_hash.slice(2, 18)}`,
      event: event.name,
      contract: event.contract,
      block_number: String(blockOf(event)),
      block_hash: event.block_hash,
      log_index: Number(event.id.slice(-6)),
      timestamp: event.timestamp,
      tx_hash: event.tx_hash,
      args: event.args,
      summary: describeEvent(event.name, event.args, facts),
    })),
  });
});
