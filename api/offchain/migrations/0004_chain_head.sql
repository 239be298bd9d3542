CREATE TABLE "offchain"."chain_head" (
  "chain_id" integer PRIMARY KEY,
  "follower" text NOT NULL,
  "is_indexer" boolean NOT NULL,
  "renewed_at" timestamp with time zone NOT NULL,
  "is_away" boolean NOT NULL,
  "number" numeric(78),
  "hash" text,
  "timestamp" numeric(78),
  "received_at" timestamp with time zone
);
