CREATE TABLE "offchain"."event_record" (
  "chain_id" integer NOT NULL,
  "id" text NOT NULL,
  "previous_id" text NOT NULL,
  "event" text NOT NULL,
  "contract" text NOT NULL,
  "block_hash" text NOT NULL,
  "subjects" text NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  PRIMARY KEY ("chain_id", "id")
);
--> statement-breakpoint
CREATE INDEX "event_record_created_at" ON "offchain"."event_record" ("created_at");
