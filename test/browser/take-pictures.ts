import { chromium } from "playwright-core";
import { chromiumArguments, findChromium } from "../support/chromium";

// Takes the pictures of docs/images of a running `npm start`:
//   node --import tsx test/browser/take-pictures.ts http://127.0.0.1:3001

const [url] = process.argv.slice(2);
if (url === undefined) throw new Error("Give the URL of a gateway");

const FOLDER = "docs/images";

const read = async <Answer>(path: string) => (await (await fetch(`${url}${path}`)).json()) as Answer;

const first = async (board: string) =>
  (await read<{ ranking: { id: string }[] }>(`/leaderboard/${board}`)).ranking[0]?.id;

const { intents } = await read<{ intents: { intent_id: string; tx_hash: string }[] }>("/intents?limit=100");
const { disputes } = await read<{ disputes: { dispute_id: string; status: string }[] }>("/disputes");
const { receipts } = await read<{ receipts: { receipt_id: string; tx_hash: string }[] }>("/receipts?limit=1");

const { events } = await read<{ events: { args: { account: string } }[] }>("/events/recent?name=SpendLimitSet&limit=1");
const { contracts } = await read<{ contracts: { CommerceRegistry: string } }>("/protocol");

/** The intent with the most bids. */
async function contested(): Promise<string | undefined> {
  const counted = await Promise.all(
    intents.map(async ({ intent_id: id }) => {
      const { bids } = await read<{ bids: unknown[] }>(`/intents/${id}/competition?limit=100`);
      return { id, bids: bids.length };
    }),
  );
  return counted.sort((one, other) => other.bids - one.bids)[0]?.id;
}

const dispute = disputes.find(({ status }) => status === "RESOLVED") ?? disputes[0];

const pages = {
  overview: "/",
  intent: `/explore/intents/${await contested()}`,
  solver: `/explore/solvers/${await first("solvers")}`,
  merchant: `/explore/merchants/${await first("merchants")}`,
  agent: `/explore/agents/${await first("agents")}`,
  intents: "/explore/intents",
  leaderboards: "/explore/leaderboards",
  dispute: `/explore/disputes/${dispute?.dispute_id}`,
  transaction: `/explore/transactions/${receipts[0]?.tx_hash}`,
  preflight: `/explore/preflight?account=${events[0]?.args.account}&target=${contracts.CommerceRegistry}&value=${10n ** 18n}`,
};

const browser = await chromium.launch({ executablePath: await findChromium(), args: chromiumArguments });
for (const colorScheme of ["light", "dark"] as const) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 1000 }, colorScheme });
  const page = await context.newPage();
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(`${url}${path}`);
    await page.screenshot({ path: `${FOLDER}/${name}-${colorScheme}.png`, fullPage: name === "overview" });
  }
}
await browser.close();
