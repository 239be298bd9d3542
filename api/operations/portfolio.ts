import { BadInput } from "../core/errors";
import { address, chainList } from "../core/inputs";
import { operation, z } from "../core/operation";
import { PortfolioSnapshot } from "../portfolio/snapshot";
import type { Context } from "./context";

export const getPortfolio = operation({
  route: "GET /portfolio",
  summary: "The holdings of a wallet on one or more chains.",
  description: "Tokens with prices and values in dollars, totals and recent activity.",
  input: z.object({ address, chains: chainList }),
  output: PortfolioSnapshot,
  example: { address: "0xa0ee7a142d267c1f36714e4a8f75612f20a79720", chains: "local" },
  paid: true,
  check({ portfolio }: Context, { chains }) {
    const unknown = chains.filter((chain) => !portfolio.chains.includes(chain));
    if (unknown.length > 0)
      throw new BadInput(`chains: this server supports only ${portfolio.chains.join(", ")}, not ${unknown.join(", ")}`);
  },
  dependsOn: ["untracked"],
  run: ({ portfolio }: Context, { address, chains }) => portfolio.snapshot(address, chains),
});

export const portfolio = { get: getPortfolio };
