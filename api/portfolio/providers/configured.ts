import type { PortfolioSettings } from "../../../config/portfolio";
import type { PortfolioProvider, ReportUpstream } from "../provider";
import { alchemyProvider } from "./alchemy/provider";
import { rpcProvider } from "./rpc/provider";

/** The provider that the environment asks for. */
export function configuredProvider(
  { alchemyApiKey, rpcUrls, local }: PortfolioSettings,
  report: ReportUpstream,
): PortfolioProvider {
  return alchemyApiKey === undefined
    ? rpcProvider({ rpcUrls, local: local(), report })
    : alchemyProvider({ apiKey: alchemyApiKey, report });
}
