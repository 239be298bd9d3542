import { Router } from "express";
import { describeEvent } from "../../api/events/describe-event";
import type { EventFacts } from "../../api/events/facts";
import { query } from "./database";
import { hash, notFound } from "./input";
import { findTokens } from "./tokens";

export const transactions = Router();

type Arguments = Record<string, string | number | boolean>;

type IntentTokens = { intent_id: string; inputToken: `0x${string}`; outputToken: `0x${string}` };

/** The tokens of the events and of their intents. */
async function factsAbout(found: readonly { name: string; args: Arguments }[]): Promise<EventFacts> {
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

type Event = {
  id: string;
  name: string;
  args: Arguments;
  from: string;
  to: string | null;
  timestamp: string;
};

transactions.get("/tx/:hash/explain", async (req, res) => {
  const txHash = hash("hash", req.params.hash);
  const rows = await query<Event>(
    `SELECT id, name, args::json, tx_from AS "from", tx_to AS "to", block_timestamp AS timestamp
     FROM event_log WHERE tx_hash = $1 ORDER BY id`,
    [txHash],
  );
  const [first] = rows;
  if (!first) throw notFound(`Transaction ${txHash} has no indexed events`);
  const facts = await factsAbout(rows);
  res.json({
    tx_hash: txHash,
    // An event's id is its block number in 12 digits and its log index.
    block_number: String(Number(first.id.slice(0, 12))),
    block_timestamp: String(first.timestamp),
    from: first.from,
    to: first.to,
    status: "success",
    summary: `Transaction contained ${rows.length} event(s)`,
    events: rows.map(({ name, args }) => ({ eventName: name, args, description: describeEvent(name, args, facts) })),
  });
});
