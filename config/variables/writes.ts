import { z } from "zod";
import { flag, httpUrl, list, wholeNumber } from "../values";
import type { VariableGroup } from "../variable";

const token = z.string().regex(/^\S{16,}$/, "must be tokens of at least 16 characters, separated by commas");

export const writes = {
  title: "Clients and writes",
  variables: {
    PUBLIC_BASE_URL: {
      property: "publicBaseUrl",
      type: httpUrl.transform((url) => url.replace(/\/+$/, "")),
      computedDefault: "the scheme and host of the request on a local chain; required elsewhere",
      description:
        "URL at which clients reach the service. The `uri` of a document and the links of `llms.txt` start with it, not with the `Host` header, which clients choose.",
    },
    TRUST_PROXY: {
      property: "trustProxy",
      type: flag,
      default: "false",
      description:
        "Whether to trust the last entry of `X-Forwarded-For`, `-Proto` and `-Host`. Set it only behind a proxy that sets these headers: otherwise clients can forge them.",
    },
    WRITE_TOKENS: {
      property: "writeTokens",
      type: list(token),
      default: "",
      computedDefault: "anyone may write",
      description:
        "Tokens of at least 16 characters, separated by commas. If set, a write without one of them (`authorization: Bearer …`) returns 401. Reads and `/preflight` don't require a token.",
    },
    RATE_LIMIT_REQUESTS: {
      property: "requestsPerMinute",
      type: wholeNumber(1, 1_000_000_000),
      default: { elsewhere: "6000" },
      description:
        "Maximum number of requests per client and minute to each gateway process: reads, also from the cache, and writes. Each call of a tRPC or MCP batch counts. Further requests return 429.",
    },
    METADATA_AUTH: {
      property: "openMetadata",
      type: z.enum(["open", "signed"], { error: "must be open or signed" }).transform((mode) => mode === "open"),
      default: { local: "open", elsewhere: "signed" },
      description:
        "With `open`, unsigned metadata of an indexed intent can be replaced by other unsigned metadata. With `signed`, only metadata that the owner signed replaces it. On a chain that is not local, `open` requires `ALLOW_DEV_ON_PUBLIC_CHAIN`.",
    },
    DEV_HELPERS: {
      property: "devHelpers",
      type: flag,
      default: { local: "true", elsewhere: "false" },
      description:
        "Whether bids can be placed and selected off chain, for development. With `false`, these routes return 403. On a chain that is not local, `true` requires `ALLOW_DEV_ON_PUBLIC_CHAIN`.",
    },
    ALLOW_DEV_ON_PUBLIC_CHAIN: {
      type: flag,
      default: "false",
      description:
        "Confirms that `DEV_HELPERS=true` or `METADATA_AUTH=open` is intended on a chain that is not local. Without it, the start fails.",
    },
  },
} as const satisfies VariableGroup;
