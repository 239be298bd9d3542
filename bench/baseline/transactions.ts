import { Router } from "express";
import { describeEvent } from "../../api/events/describe-event";
import type { EventFacts } from "../../api/events/facts";
import { chains } from "../../config/chains";
import { query } from "./database";
import { chainId, listedTokens } from "./deployment";
import { hash, notFound } from "./input";

export const transactions = Router();

type Event = { id: string; name: string; args: Record<string, string | number | boolean> };

type IntentTokens = { intent_id: string; inputToken: `0x${string}`; outputToken: `0x${string}` };

type StoredToken = { address: `0x${string}`; symbol: string | null; name: string | null; decimals: number | null };

/** The tokens of the events and of their intents. */
async function factsAbout(events: readonly Event[]): Promise<EventFacts> {
  const about = events.filter(({ name }) => name === "IntentFilled" || name === "SolverBidSubmitted");
  const intents = await query<IntentTokens>(
    `SELECT intent_id, input_token AS "inputToken", output_token AS "outputToken" FROM intent
     WHERE intent_id = ANY ($1::numeric[])`,
    [about.map(({ args }) => args.intentId)],
  );
  const addresses = [
    ...intents.flatMap(({ inputToken, outputToken }) => [inputToken, outputToken]),
    ...events.flatMap(({ args }) => args.token ?? []),
  ];
  const stored = await query<StoredToken>(
    "SELECT address, symbol, name, decimals FROM offchain.token WHERE chain_id = $1 AND address = ANY ($2::text[])",
    [chainId, addresses],
  );
  const native = { ...chains.local.native, address: `0x${"00".repeat(20)}` as const };
  const tokens = [
    ...stored.map((token) => ({ ...token, source: "contract" as const })),
    ...[native, ...listedTokens].map((token) => ({ ...token, source: "list" as const })),
  ];
  return {
    tokens: new Map(tokens.map((token) => [token.address, token])),
    intents: new Map(intents.map((intent) => [intent.intent_id, intent])),
  };
}

transactions.get("/tx/:hash/explain", async (req, res) => {
  const txHash = hash("hash", req.params.hash);
  const rows = await query<Event>("SELECT id, name, args::json FROM event_log WHERE tx_hash = $1 ORDER BY id", [
    txHash,
  ]);
  const [first] = rows;
  if (!first) throw notFound(`Transaction ${txHash} has no indexed events`);
  const facts = await factsAbout(rows);
  res.json({
    tx_hash: txHash,
    // An event's id is its block number in 12 digits and its log index.
    block_number: String(Number(first.id.slice(0, 12))),
    summary: `Transaction contained ${rows.length} event(s)`,
    events: rows.map(({ name, args }) => ({ eventName: name, args, description: describeEvent(name, args, facts) })),
  });
});
