import { resolve } from "node:path";
import { z } from "zod";
import { flag, host, port, wholeNumber } from "../values";
import type { VariableGroup } from "../variable";

export const processes = {
  title: "Processes",
  variables: {
    API_PORT: { property: "apiPort", type: port, default: "3001", description: "Port of the gateway." },
    API_HOST: {
      property: "apiHost",
      type: host,
      default: { local: "127.0.0.1" },
      computedDefault: "`127.0.0.1` on a local chain, all addresses elsewhere",
      description:
        "Address on which the gateway listens. A local chain has no limits and open writes, so only this machine can reach its gateway by default.",
    },
    API_WORKERS: {
      property: "apiWorkers",
      type: wholeNumber(1, 256),
      default: "1",
      description:
        "Number of gateway processes of `npm start`, which share `API_PORT`. More of them use more cores for requests. The limits per client apply to each process.",
    },
    PONDER_PORT: {
      property: "ponderPort",
      type: port,
      default: "42069",
      description: "Port of Ponder's own server (GraphQL, metrics and status).",
    },
    PONDER_HOST: {
      property: "ponderHost",
      type: host,
      default: "127.0.0.1",
      description: "Address on which Ponder's own server listens. It has no limits, so only operators should reach it.",
    },
    ANVIL_PORT: { property: "anvilPort", type: port, default: "8545", description: "Port of the local chain." },
    INTENTRY_DIR: {
      property: "stateFolder",
      type: z.string().transform((path) => resolve(path)),
      default: ".intentry",
      description:
        "Directory of the local deployment file, the embedded PostgreSQL and the logs. Only one `npm start` can use it at a time.",
    },
    RESPONSE_CACHE_BYTES: {
      property: "responseCacheBytes",
      type: wholeNumber(0, 2 ** 40),
      default: "67108864",
      description:
        "Memory for responses to reads, which each gateway process keeps until the index or the store changes. `0` disables it.",
    },
    SAMPLE_ACTIVITY: {
      property: "sampleActivity",
      type: flag,
      default: "true",
      description: "Whether the local chain starts with ten days of sample activity.",
    },
    LOG_LEVEL: {
      property: "logLevel",
      type: z.enum(["fatal", "error", "warn", "info", "debug", "silent"], {
        error: "must be fatal, error, warn, info, debug or silent",
      }),
      default: "info",
      description:
        "Log level of the gateway: `fatal`, `error`, `warn`, `info` (one line per request), `debug` or `silent`.",
    },
    METRICS_TOKEN: {
      property: "metricsToken",
      type: z.string().regex(/^\S{16,}$/, "must have at least 16 characters and no spaces"),
      computedDefault: "anyone who reaches the gateway without a proxy",
      description:
        "If set, `/metrics` requires it (`authorization: Bearer …`). Otherwise `/metrics` returns 403 to requests with `X-Forwarded-For`.",
    },
    NODE_ENV: {
      type: z.string(),
      description:
        "With `test` or `development`, the gateway validates every response against its schema, and serves `/explore/_kit`. With `production`, `X402_DEV_BYPASS=true` is rejected.",
      internal: true,
    },
  },
} as const satisfies VariableGroup;
