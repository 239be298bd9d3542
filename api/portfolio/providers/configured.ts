import type { PortfolioSettings } from "../../../config/portfolio";
import type { PortfolioProvider, ReportUpstream } from "../provider";
import { alchemyProvider } from "./alchemy/provider";
import { rpcProvider } from "./rpc/provider";

/** Creates the configured provider: Alchemy with an API key, otherwise RPC nodes. */
export function configuredProvider(
  { alchemyApiKey, rpcUrls, local }: PortfolioSettings,
  report: ReportUpstream,
): PortfolioProvider {
  return alchemyApiKey === undefined
    ? rpcProvider({ rpcUrls, local: local(), report })
    : alchemyProvider({ apiKey: alchemyApiKey, report });
}
