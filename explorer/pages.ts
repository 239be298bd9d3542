import { matchPath, type Page, type Parameters } from "./page";
import { accountPage } from "./pages/account";
import { agentPage } from "./pages/agent";
import { attestationPage, schemaPage } from "./pages/attestations";
import { attestorPage } from "./pages/attestor";
import { blockPage } from "./pages/block";
import { disputePage } from "./pages/dispute";
import { documentPage } from "./pages/document";
import { facilitatorPage } from "./pages/facilitator";
import { intentPage } from "./pages/intent";
import { leaderboardsPage } from "./pages/leaderboards";
import { listPages } from "./pages/lists";
import { merchantPage } from "./pages/merchant";
import { overviewPage } from "./pages/overview";
import { portfolioPage } from "./pages/portfolio";
import { preflightPage } from "./pages/preflight";
import { quotePage } from "./pages/quote";
import { receiptPage } from "./pages/receipt";
import { searchPage } from "./pages/search";
import { servicePage } from "./pages/service";
import { settlementPage } from "./pages/settlement";
import { solverPage } from "./pages/solver";
import { statusPage } from "./pages/status";
import { tokenPage } from "./pages/token";
import { transactionPage } from "./pages/transaction";

/** All pages of the explorer. */
const pages: readonly Page[] = [
  overviewPage,
  searchPage,
  preflightPage,
  portfolioPage,
  statusPage,
  intentPage,
  agentPage,
  accountPage,
  solverPage,
  attestorPage,
  merchantPage,
  servicePage,
  facilitatorPage,
  quotePage,
  receiptPage,
  settlementPage,
  disputePage,
  attestationPage,
  schemaPage,
  tokenPage,
  transactionPage,
  blockPage,
  documentPage,
  leaderboardsPage,
  ...listPages,
];

/** The paths of the pages without parameters. */
export const pagePaths: readonly string[] = pages.filter(({ path }) => !path.includes(":")).map(({ path }) => path);

/** The page at a path, and the parameters in it. The first one that matches wins. */
export function findPage(path: string): { page: Page; parameters: Parameters } | undefined {
  for (const page of pages) {
    const parameters = matchPath(page.path, path);
    if (parameters) return { page, parameters };
  }
  return undefined;
}
