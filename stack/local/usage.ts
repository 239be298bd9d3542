import type { LocalDeployment } from "../../config/networks";
import { people } from "./sample/people";

/** What the operator of a local stack can do with it, as text. */
export function usageOf({ apiUrl, ponderUrl, rpcUrl, contracts }: LocalDeployment, withSample: boolean): string {
  const lines = [
    "",
    `Ready. The gateway is on ${apiUrl}, GraphQL on ${ponderUrl}/graphql, the chain on ${rpcUrl}.`,
    "",
    ...Object.entries(contracts).map(([name, address]) => `  ${name.padEnd(20)} ${address}`),
    "",
  ];
  if (withSample)
    lines.push(
      `  An agent's owner     ${people.alice.address}`,
      `  A solver's operator  ${people.swiftSolver.address}`,
      `  A merchant's owner   ${people.dataMerchant.address}`,
      "",
    );
  // Without the sample, all lists are empty.
  const requests = withSample
    ? ["/intents/1", "/intents/5/bids", `/agents?owner=${people.alice.address}`]
    : ["/ready", "/intents"];
  lines.push(
    `Open ${apiUrl}/ in a browser for the explorer, ${apiUrl}/docs for the API reference, or try:`,
    "",
    ...requests.map((path) => `  curl '${apiUrl}${path}'`),
    "",
    "Buy a portfolio for $0.01, with test dollars (x402):",
    "",
    "  npm run pay",
    "",
    "Let a solver, a merchant and a buyer trade for a minute:",
    "",
    "  npm run example market",
    "",
    "Stop with Ctrl-C.",
  );
  return lines.join("\n");
}
