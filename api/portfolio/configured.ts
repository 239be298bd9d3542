import type { PortfolioSettings } from "../../config/environment";
import { alchemyProvider } from "./alchemy";
import type { PortfolioProvider, ReportUpstream } from "./provider";
import { rpcProvider } from "./rpc";

/** The provider that the environment asks for. */
export function configuredProvider(
  { alchemyApiKey, rpcUrls, local }: PortfolioSettings,
  report: ReportUpstream,
): PortfolioProvider {
  return alchemyApiKey === undefined
    ? rpcProvider({ rpcUrls, local: local(), report })
    : alchemyProvider({ apiKey: alchemyApiKey, report });
}
