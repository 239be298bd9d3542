import { z } from "zod";
import { list } from "../values";
import type { VariableGroup } from "../variable";

/** How connections are pooled between this service and PostgreSQL. */
export const poolModes = ["session", "transaction"] as const;
export type PoolMode = (typeof poolModes)[number];

export const database = {
  title: "Database",
  variables: {
    DATABASE_URL: {
      property: "databaseUrl",
      type: z.url({ protocol: /^postgres(ql)?$/, error: "must be a postgres:// URL" }),
      computedDefault: "an embedded PostgreSQL that `npm start` runs",
      description: "URL of the PostgreSQL database. Published documents are in its schema `offchain`.",
    },
    DATABASE_READ_URLS: {
      property: "databaseReadUrls",
      type: list(z.url({ protocol: /^postgres(ql)?$/, error: "must be postgres:// URLs, separated by commas" })),
      default: "",
      description:
        "URLs of streaming replicas of the database, separated by commas. Each gateway process reads the index from one of them. Writes, and a replica's reads while it is behind or away, go to `DATABASE_URL`.",
    },
    DATABASE_POOL_MODE: {
      property: "poolMode",
      type: z.enum(poolModes, { error: "must be session or transaction" }),
      default: "session",
      description:
        "`transaction` if `DATABASE_URL` and `DATABASE_READ_URLS` are those of a pooler in transaction mode, such as PgBouncer. For gateways only (`npm run api`): the indexer must connect to PostgreSQL itself.",
    },
    DATABASE_SCHEMA: {
      type: z
        .string()
        // A build's schema adds 13 characters, and Ponder accepts 45.
        .regex(/^[a-z_][a-z0-9_]{0,31}$/, "must be a lowercase PostgreSQL schema name of at most 32 characters"),
      computedDefault: "`intentry_local` when the network is `local`, otherwise `intentry`",
      description:
        "Schema of Ponder's views of the index. Each version builds the index in a schema of its own, with this name as a prefix. When the network is `local`, every start drops the index.",
    },
    INDEX_SCHEMA: {
      property: "indexSchema",
      type: z.string(),
      computedDefault: "the schema of this version's build",
      description: "Schema of the build that the gateway serves. `npm start` sets it.",
      internal: true,
    },
  },
} as const satisfies VariableGroup;
