import { z } from "zod";
import type { VariableGroup } from "../variable";

export const database = {
  title: "Database",
  variables: {
    DATABASE_URL: {
      property: "databaseUrl",
      schema: z.url({ protocol: /^postgres(ql)?$/, error: "must be a postgres:// URL" }),
      computedDefault: "an embedded PostgreSQL that `npm start` runs",
      description: "URL of the PostgreSQL database. Published documents are in its schema `offchain`.",
    },
    DATABASE_SCHEMA: {
      schema: z
        .string()
        // A build's schema adds 13 characters, and Ponder accepts 45.
        .regex(/^[a-z_][a-z0-9_]{0,31}$/, "must be a lowercase PostgreSQL schema name of at most 32 characters"),
      computedDefault: "`intentry_local` when the network is `local`, otherwise `intentry`",
      description:
        "Schema of Ponder's views of the index. Each version builds the index in a schema of its own, with this name as a prefix. When the network is `local`, every start drops the index.",
    },
    INDEX_SCHEMA: {
      property: "indexSchema",
      schema: z.string(),
      computedDefault: "the schema of this version's build",
      description: "Schema of the build that the gateway serves. `npm start` sets it.",
      internal: true,
    },
    CURSOR_SECRET: {
      property: "cursorSecret",
      schema: z.string().min(16, "must have at least 16 characters"),
      computedDefault: "a random secret in the database, which all processes share",
      description:
        "Key that signs pagination cursors, at least 16 characters. Set it when processes on different databases must accept each other's cursors.",
    },
  },
} as const satisfies VariableGroup;
