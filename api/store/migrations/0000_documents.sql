CREATE TABLE "offchain"."document" (
  "kind" text NOT NULL,
  "hash" text NOT NULL,
  "bytes" bytea NOT NULL,
  "size_bytes" integer NOT NULL,
  "merchant_id" text,
  "service_id" text,
  "service_numeric_id" text,
  "request_id" text,
  "request_hash" text,
  "agent" text,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  "updated_at" timestamp with time zone NOT NULL DEFAULT now(),
  PRIMARY KEY ("kind", "hash")
);
--> statement-breakpoint
CREATE TABLE "offchain"."write_count" (
  "client" text NOT NULL,
  "minute" bigint NOT NULL,
  "count" integer NOT NULL,
  PRIMARY KEY ("client", "minute")
);
--> statement-breakpoint
CREATE INDEX "write_count_minute" ON "offchain"."write_count" ("minute");
--> statement-breakpoint
CREATE TABLE "offchain"."document_quota" (
  "client" text NOT NULL,
  "day" date NOT NULL,
  "bytes" bigint NOT NULL,
  PRIMARY KEY ("client", "day")
);
