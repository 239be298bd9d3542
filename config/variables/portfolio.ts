import { z } from "zod";
import { httpUrl, list } from "../values";
import type { Variable, VariableGroup } from "../variable";

const rpcUrls = {
  type: list(httpUrl),
  description:
    "RPC URLs of a chain for portfolios, separated by commas. Requests fail over from one to the next. Without a URL the chain can't be read, and portfolios that include it contain a warning. Not needed for the local chain.",
} as const satisfies Variable;

export const portfolio = {
  title: "Portfolios",
  variables: {
    RPC_URL_BASE: rpcUrls,
    RPC_URL_ETHEREUM: rpcUrls,
    RPC_URL_ARBITRUM: rpcUrls,
    RPC_URL_OPTIMISM: rpcUrls,
    RPC_URL_POLYGON: rpcUrls,
    ALCHEMY_API_KEY: {
      type: z.string().regex(/^[A-Za-z0-9_-]+$/, "must be an Alchemy API key: letters, digits, - and _"),
      description:
        "API key of Alchemy. If set, portfolios are read from Alchemy instead of RPC nodes. It never appears in logs, errors or responses.",
    },
  },
} as const satisfies VariableGroup;
