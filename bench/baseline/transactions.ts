import { Router } from "express";
import { describeEvent } from "../../api/events/describe-event";
import { query } from "./database";
import { factsAbout } from "./events";
import { hash, notFound } from "./input";

export const transactions = Router();

type Event = {
  id: string;
  name: string;
  args: Record<string, string | number | boolean>;
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
