CREATE TABLE "offchain"."payment" (
  "network" text NOT NULL,
  "asset" text NOT NULL,
  "payer" text NOT NULL,
  "nonce" text NOT NULL,
  "hash" text NOT NULL,
  "request" text NOT NULL,
  "state" text NOT NULL,
  "holder" text NOT NULL,
  "lease_until" timestamp with time zone NOT NULL,
  "answer" text,
  "from_block" bigint,
  "transaction" text,
  "expires_at" timestamp with time zone NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  PRIMARY KEY ("network", "asset", "payer", "nonce")
);
--> statement-breakpoint
CREATE INDEX "payment_expires_at" ON "offchain"."payment" ("expires_at");
