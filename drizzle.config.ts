import { defineConfig } from "drizzle-kit";

/** The off-chain store's tables. The index's tables are Ponder's. */
export default defineConfig({
  dialect: "postgresql",
  schema: "api/offchain/tables.ts",
  out: "api/offchain/migrations",
  schemaFilter: ["offchain"],
  casing: "snake_case",
});
