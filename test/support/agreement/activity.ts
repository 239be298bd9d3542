import type { Row } from "../index-of";
import type { Rows } from "./chain";

type Activity = Row<"activity">;
type Metric = Activity["metric"];

/** The events that metrics count. */
const counted: Readonly<Record<string, Metric>> = {
  AgentRegistered: "agents",
  IntentSubmitted: "intents",
  SolverBidSubmitted: "bids",
  IntentFilled: "fills",
  AttestationSubmitted: "attestations",
  MerchantRegistered: "merchants",
  ServiceRegistered: "services",
  ReceiptRecorded: "receipts",
  DisputeOpened: "disputes",
};

/** The starts of the hour and the day of a time, by the calendar. Times are unix seconds. */
function startsOf(time: string): Record<Activity["interval"], string> {
  const text = new Date(Number(time) * 1000).toISOString();
  const seconds = (of: string) => String(Date.parse(of) / 1000);
  return { hour: seconds(`${text.slice(0, 13)}:00:00Z`), day: seconds(`${text.slice(0, 10)}T00:00:00Z`) };
}

type Part = { metric: Metric; token: string; value: bigint };

/** What one log adds to the activity. The input token of a fill comes from the intent. */
function partsOf({ name, args: json }: Row<"eventLog">, intents: ReadonlyMap<string, Row<"intent">>): Part[] {
  const metric = counted[name];
  if (!metric) return [];
  const args: Record<string, string> = JSON.parse(json);
  const parts = [{ metric, token: "", value: 1n }];
  const volume = (of: Metric, token = "", amount = "") => parts.push({ metric: of, token, value: BigInt(amount) });
  if (name === "ReceiptRecorded") volume("receipt_volume", args.token, args.amount);
  if (name === "IntentFilled")
    volume("fill_volume", intents.get(args.intentId ?? "")?.inputToken ?? undefined, args.amountIn);
  return parts.filter(({ value }) => value !== 0n);
}

/** The activity by hour and by day, computed from all logs. */
export function activityRows(logs: readonly Row<"eventLog">[], intents: readonly Row<"intent">[]): Rows<"activity"> {
  const byId = new Map(intents.map((intent) => [intent.intentId, intent]));
  const rows = new Map<string, Activity>();
  for (const log of logs)
    for (const { metric, token, value } of partsOf(log, byId))
      for (const [interval, start] of Object.entries(startsOf(log.blockTimestamp)) as [
        Activity["interval"],
        string,
      ][]) {
        const key = [metric, token, interval, start].join(" ");
        const before = rows.get(key)?.value ?? "0";
        rows.set(key, { metric, token, interval, start, value: String(BigInt(before) + value) });
      }
  return { activity: [...rows.values()] };
}
