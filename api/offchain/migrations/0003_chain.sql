CREATE TABLE "offchain"."chain" (
  "chain_id" integer PRIMARY KEY,
  "genesis_hash" text NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT now()
);
