import type { WriteRequest, Writes } from "../sample/published";
import type { MarketNews } from "./index";
import { catalogs } from "./metadata";

/** The solvers' second offers on the contested intent, which they make off chain: a little better than the first ones. */
const IMPROVED_BPS = 10_002n;
const IMPROVING = 2;

const offersOn = ({ intentId, deadline, bids }: MarketNews["contested"]): WriteRequest[] =>
  bids.slice(-IMPROVING).map(({ solver, amountIn, amountOut }) => ({
    method: "POST",
    path: `/intents/${intentId}/bids`,
    body: {
      ...{ solver: solver.account.address, amount_in: String(amountIn), fee: "0", valid_until: String(deadline) },
      amount_out: String((amountOut * IMPROVED_BPS) / 10_000n),
    },
  }));

/** The metadata and the evidence of the market week, and off-chain bids if the service takes them. */
export const newsWrites = ({ evidence, contested }: MarketNews, takesBids: boolean): Writes => ({
  documents: [
    ...catalogs().map((body) => ({ method: "POST", path: "/catalogs", body })),
    ...evidence.map((text) => ({
      method: "POST",
      path: "/fulfillment-evidence",
      body: { fulfillment_evidence_json: text },
    })),
  ],
  aboutRecords: takesBids ? offersOn(contested) : [],
});
