import { links } from "../../../explorer/links";
import { pagePaths } from "../../../explorer/pages";
import type { Reads } from "../../../explorer/reads";

/** How many of the newest records of each kind are listed, one page of the API. */
const RECORDS = 100;

/** How long a sitemap is kept. Crawlers ask for it once a day or less. */
const KEPT_MS = 600_000;

/** Pages that depend on what a person enters. */
export const formPaths: readonly string[] = [links.search, links.preflight, links.portfolio];

/** The paths of the newest public records of each kind. */
async function recordPaths(api: Reads): Promise<string[]> {
  const limit = RECORDS;
  const found = await Promise.all([
    api.intents.list.query({ limit }).then(({ intents }) => intents.map((row) => links.intent(row.intent_id))),
    api.merchants.list
      .query({ limit })
      .then(({ merchants }) => merchants.map((row) => links.merchant(row.merchant_id))),
    api.services.list
      .query({ limit })
      .then(({ services }) => services.map((row) => links.service(row.service_numeric_id))),
    api.quotes.list.query({ limit }).then(({ quotes }) => quotes.map((row) => links.quote(row.quote_hash))),
    api.receipts.list.query({ limit }).then(({ receipts }) => receipts.map((row) => links.receipt(row.receipt_id))),
    api.settlements.list
      .query({ limit })
      .then(({ settlements }) => settlements.map((row) => links.settlement(row.execution_hash))),
    api.disputes.list.query({ limit }).then(({ disputes }) => disputes.map((row) => links.dispute(row.dispute_id))),
    api.solvers.list.query({ limit }).then(({ solvers }) => solvers.map((row) => links.solver(row.solver_id))),
    api.attestors.list
      .query({ limit })
      .then(({ attestors }) => attestors.map((row) => links.attestor(row.attestor_id))),
    api.facilitators.list
      .query({ limit })
      .then(({ facilitators }) => facilitators.map((row) => links.facilitator(row.facilitator_id))),
    api.schemas.list.query({ limit }).then(({ schemas }) => schemas.map((row) => links.schema(row.schema_hash))),
    api.search.find.query({ type: "agent", limit }).then(({ results }) => results.map(({ id }) => links.agent(id))),
  ]);
  return found.flat();
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Creates a reader of the sitemap: the lists, and the newest records of each kind, at most a few minutes old. */
export function createSitemap(): (api: Reads, baseUrl: string) => Promise<string> {
  let kept: { paths: readonly string[]; until: number } | undefined;
  return async (api, baseUrl) => {
    if (!kept || performance.now() > kept.until)
      kept = { paths: await recordPaths(api), until: performance.now() + KEPT_MS };
    const paths = [...pagePaths.filter((path) => !formPaths.includes(path)), "/docs", ...kept.paths];
    const urls = paths.map((path) => `<url><loc>${escaped(baseUrl + path)}</loc></url>`);
    return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join("\n")}\n</urlset>\n`;
  };
}
