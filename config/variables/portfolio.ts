import { z } from "zod";
import { httpUrl, list, wholeNumber } from "../values";
import type { Variable, VariableGroup } from "../variable";

const rpcUrls = {
  schema: list(httpUrl),
  description:
    "RPC URLs of a chain for the provider `rpc`, separated by commas. Requests fail over from one to the next. Without a URL the chain can't be read, and portfolios that include it contain a warning. Not needed for the local chain.",
} as const satisfies Variable;

export const portfolio = {
  title: "Portfolios",
  variables: {
    PORTFOLIO_PROVIDER: {
      schema: z.enum(["rpc", "alchemy"], { error: "must be rpc or alchemy" }),
      default: "rpc",
      description: "Source of portfolios: `rpc` (RPC nodes, no API key) or `alchemy`.",
    },
    RPC_URL_BASE: rpcUrls,
    RPC_URL_ETHEREUM: rpcUrls,
    RPC_URL_ARBITRUM: rpcUrls,
    RPC_URL_OPTIMISM: rpcUrls,
    RPC_URL_POLYGON: rpcUrls,
    ALCHEMY_API_KEY: {
      schema: z.string().regex(/^[A-Za-z0-9_-]+$/, "must be an Alchemy API key: letters, digits, - and _"),
      description:
        "API key of Alchemy. Required when the provider is `alchemy`. It never appears in logs, errors or responses.",
    },
    PORTFOLIO_CACHE_SECONDS: {
      schema: wholeNumber(0, 3600),
      default: "15",
      description: "How long a portfolio is cached, in seconds. `0` disables the cache.",
    },
  },
} as const satisfies VariableGroup;
