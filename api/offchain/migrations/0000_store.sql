-- The words of texts, for the text search, which would skip tags. Immutable, unlike array_to_string for any type.
CREATE FUNCTION "offchain"."words"(text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT translate(array_to_string($1, ' '), '<>', '  ') $$;
--> statement-breakpoint
CREATE TABLE "offchain"."attestation_schema" (
	"schema_hash" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"json_schema" text NOT NULL,
	"recommended_subject" text,
	"builtin" boolean NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "attestation_schema_name_key" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "offchain"."chain" (
	"chain_id" integer PRIMARY KEY NOT NULL,
	"genesis_hash" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."chain_head" (
	"chain_id" integer PRIMARY KEY NOT NULL,
	"follower" text NOT NULL,
	"is_indexer" boolean NOT NULL,
	"renewed_at" timestamp with time zone NOT NULL,
	"is_away" boolean NOT NULL,
	"number" numeric(78),
	"hash" text,
	"timestamp" numeric(78),
	"received_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "offchain"."document" (
	"kind" text NOT NULL,
	"hash" text NOT NULL,
	"bytes" "bytea" NOT NULL,
	"size_bytes" integer NOT NULL,
	"merchant_id" text,
	"service_id" text,
	"service_numeric_id" text,
	"request_id" text,
	"request_hash" text,
	"agent" text,
	"receipt_id" text,
	"quote_hash" text,
	"payload_hash" text,
	"encryption" text,
	"merchant_key_id" text,
	"evidence_type" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "document_pkey" PRIMARY KEY("kind","hash")
);
--> statement-breakpoint
CREATE TABLE "offchain"."event_record" (
	"chain_id" integer NOT NULL,
	"id" text NOT NULL,
	"previous_id" text NOT NULL,
	"event" text NOT NULL,
	"contract" text NOT NULL,
	"block_hash" text NOT NULL,
	"subjects" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "event_record_pkey" PRIMARY KEY("chain_id","id")
);
--> statement-breakpoint
CREATE TABLE "offchain"."index_reader" (
	"reader" text PRIMARY KEY NOT NULL,
	"build" text NOT NULL,
	"renewed_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."intent_metadata" (
	"chain_id" integer NOT NULL,
	"intent_hash" text NOT NULL,
	"owner" text NOT NULL,
	"content_hash" text NOT NULL,
	"execution_target" text,
	"execution_data" text,
	"execution_data_hash" text,
	"required_attestation_subject" text,
	"required_attestation_schema" text,
	"signed_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "intent_metadata_pkey" PRIMARY KEY("chain_id","intent_hash","owner","content_hash")
);
--> statement-breakpoint
CREATE TABLE "offchain"."metadata_feed" (
	"chain_id" integer PRIMARY KEY NOT NULL,
	"event_id" text DEFAULT '' NOT NULL,
	"block_hash" text DEFAULT '' NOT NULL,
	"holder" text NOT NULL,
	"lease_until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."bid" (
	"number" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "offchain"."bid_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"chain_id" integer NOT NULL,
	"intent_hash" text NOT NULL,
	"intent_id" numeric(78) NOT NULL,
	"solver" text NOT NULL,
	"amount_in" numeric(78) NOT NULL,
	"amount_out" numeric(78) NOT NULL,
	"fee" numeric(78) NOT NULL,
	"valid_until" numeric(78) NOT NULL,
	"execution_plan" text,
	"status" text NOT NULL,
	"created_at" bigint NOT NULL,
	"selected_at" bigint
);
--> statement-breakpoint
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
	"block_number" bigint,
	"block_hash" text,
	"payload" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "payment_pkey" PRIMARY KEY("network","asset","payer","nonce")
);
--> statement-breakpoint
CREATE TABLE "offchain"."published_settings" (
	"database_schema" text PRIMARY KEY NOT NULL,
	"variables" text NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."resolved_metadata" (
	"chain_id" integer NOT NULL,
	"subject" text NOT NULL,
	"subject_id" numeric(78) NOT NULL,
	"uri" text NOT NULL,
	"hash" text,
	"label" text,
	"state" text DEFAULT 'pending' NOT NULL,
	"reason" text,
	"content_hash" text,
	"content" text,
	"name" text,
	"description" text,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"capabilities" text[] DEFAULT '{}' NOT NULL,
	"is_remote" boolean NOT NULL,
	"document_hash" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now(),
	"resolved_at" timestamp with time zone,
	"search" "tsvector" GENERATED ALWAYS AS (array_to_tsvector(ARRAY['subject:' || subject]) || setweight(to_tsvector('english', offchain.words(ARRAY[name, label])), 'A') || setweight(to_tsvector('simple', offchain.words(ARRAY[name, label])), 'A') || setweight(to_tsvector('english', offchain.words(tags || capabilities)), 'B') || setweight(to_tsvector('english', offchain.words(ARRAY[description])), 'C')) STORED,
	CONSTRAINT "resolved_metadata_pkey" PRIMARY KEY("chain_id","subject","subject_id")
);
--> statement-breakpoint
CREATE TABLE "offchain"."revision" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"number" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."secret" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text DEFAULT replace(concat(gen_random_uuid(), gen_random_uuid()), '-', '') NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."stored_bytes" (
	"client" text NOT NULL,
	"day" date NOT NULL,
	"bytes" bigint NOT NULL,
	CONSTRAINT "stored_bytes_pkey" PRIMARY KEY("client","day")
);
--> statement-breakpoint
CREATE TABLE "offchain"."token" (
	"chain_id" integer NOT NULL,
	"address" text NOT NULL,
	"symbol" text,
	"name" text,
	"decimals" integer,
	"retry_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "token_pkey" PRIMARY KEY("chain_id","address")
);
--> statement-breakpoint
CREATE TABLE "offchain"."write_count" (
	"client" text NOT NULL,
	"minute" bigint NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "write_count_pkey" PRIMARY KEY("client","minute")
);
--> statement-breakpoint
CREATE INDEX "event_record_created_at" ON "offchain"."event_record" USING btree ("created_at");
--> statement-breakpoint
CREATE INDEX "bid_best_first" ON "offchain"."bid" USING btree ("chain_id","intent_hash","amount_out" DESC NULLS FIRST,"amount_in","fee","created_at","number");
--> statement-breakpoint
CREATE UNIQUE INDEX "bid_one_selected" ON "offchain"."bid" USING btree ("chain_id","intent_hash") WHERE "offchain"."bid"."status" = 'SELECTED';
--> statement-breakpoint
CREATE INDEX "payment_expires_at" ON "offchain"."payment" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "resolved_metadata_search" ON "offchain"."resolved_metadata" USING gin ("search");
--> statement-breakpoint
CREATE INDEX "resolved_metadata_name" ON "offchain"."resolved_metadata" USING btree ("chain_id",lower("name"));
--> statement-breakpoint
CREATE INDEX "resolved_metadata_due" ON "offchain"."resolved_metadata" USING btree ("chain_id","is_remote","next_attempt_at") WHERE "offchain"."resolved_metadata"."next_attempt_at" IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "resolved_metadata_document" ON "offchain"."resolved_metadata" USING btree ("document_hash") WHERE "offchain"."resolved_metadata"."document_hash" IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "resolved_metadata_hash" ON "offchain"."resolved_metadata" USING btree ("hash") WHERE "offchain"."resolved_metadata"."hash" IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "token_retry_at" ON "offchain"."token" USING btree ("retry_at");
--> statement-breakpoint
CREATE INDEX "token_symbol" ON "offchain"."token" USING btree ("chain_id",lower("symbol"));
--> statement-breakpoint
CREATE INDEX "token_name" ON "offchain"."token" USING btree ("chain_id",lower("name"));
--> statement-breakpoint
CREATE INDEX "write_count_minute" ON "offchain"."write_count" USING btree ("minute");
--> statement-breakpoint
INSERT INTO "offchain"."attestation_schema"
  ("schema_hash", "name", "description", "json_schema", "recommended_subject", "builtin")
VALUES
  ('0x9b88c3a8ef3ab7f2203841ea372d2cbb6f11e1749a963c3f4505e671a77ab152', 'solver_reputation', 'How well a solver has filled intents.', '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {"score": {"type": "number", "minimum": 0, "maximum": 1}, "fills": {"type": "integer", "minimum": 0}, "failures": {"type": "integer", "minimum": 0}, "period": {"type": "string"}}, "required": ["score"]}', 'solver', true),
  ('0x09b46a8bc0a12719043d6d59df7c5f70aef0a2b8060f46ea3bf51e7faef6c28c', 'tool_capability', 'That an agent can use a tool, and how.', '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {"tool": {"type": "string"}, "version": {"type": "string"}, "capabilities": {"type": "array", "items": {"type": "string"}}}, "required": ["tool"]}', 'agent', true),
  ('0x0d514e5ddafce1ed34408d04a640c3471a33d3979a3d335490ffc64772059cac', 'model_provider', 'Which model an agent runs on, and who provides it.', '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {"provider": {"type": "string"}, "model": {"type": "string"}, "version": {"type": "string"}}, "required": ["provider", "model"]}', 'agent', true),
  ('0xf86403c755bd616f8ad2a7e5a4eea44746453a6ea893d1ae7d5968ee497e8875', 'safety_review', 'What a review of an agent or a service found.', '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {"reviewer": {"type": "string"}, "result": {"type": "string", "enum": ["passed", "failed", "conditional"]}, "report_uri": {"type": "string"}}, "required": ["reviewer", "result"]}', 'agent', true);
--> statement-breakpoint
INSERT INTO "offchain"."revision" DEFAULT VALUES;
--> statement-breakpoint
CREATE FUNCTION "offchain"."increment_revision"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE offchain.revision SET number = number + 1;
	RETURN NULL;
END;
$$;
--> statement-breakpoint
-- Deferred to the commit: a transaction that held the row's lock any longer could deadlock with another one.
CREATE CONSTRAINT TRIGGER "attestation_schema_revision" AFTER INSERT OR UPDATE OR DELETE ON "offchain"."attestation_schema"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "offchain"."increment_revision"();
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "intent_metadata_revision" AFTER INSERT OR UPDATE OR DELETE ON "offchain"."intent_metadata"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "offchain"."increment_revision"();
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "bid_revision" AFTER INSERT OR UPDATE OR DELETE ON "offchain"."bid"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "offchain"."increment_revision"();
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "document_revision" AFTER UPDATE OR DELETE ON "offchain"."document"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "offchain"."increment_revision"();
--> statement-breakpoint
INSERT INTO "offchain"."secret" ("name") VALUES ('cursor');
--> statement-breakpoint
-- Receipts link fulfillment evidence, so publishing it changes their responses. Other new documents change none.
CREATE CONSTRAINT TRIGGER "evidence_revision" AFTER INSERT ON "offchain"."document"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.kind = 'fulfillment-evidence')
	EXECUTE FUNCTION "offchain"."increment_revision"();
--> statement-breakpoint
-- Only answers of contracts change responses. Anyone can ask for addresses that are not tokens.
CREATE CONSTRAINT TRIGGER "token_revision" AFTER INSERT OR UPDATE ON "offchain"."token"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.retry_at IS NULL) EXECUTE FUNCTION "offchain"."increment_revision"();
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "token_deletion_revision" AFTER DELETE ON "offchain"."token"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.retry_at IS NULL) EXECUTE FUNCTION "offchain"."increment_revision"();
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "resolved_metadata_revision" AFTER INSERT OR DELETE ON "offchain"."resolved_metadata"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "offchain"."increment_revision"();
--> statement-breakpoint
-- Attempts that change nothing that is served are not counted.
CREATE CONSTRAINT TRIGGER "resolved_metadata_changed" AFTER UPDATE ON "offchain"."resolved_metadata"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
	WHEN ((OLD.uri, OLD.hash, OLD.label, OLD.state, OLD.reason, OLD.content_hash) IS DISTINCT FROM (NEW.uri, NEW.hash, NEW.label, NEW.state, NEW.reason, NEW.content_hash))
	EXECUTE FUNCTION "offchain"."increment_revision"();
--> statement-breakpoint
-- A record may name a document before it is published.
CREATE FUNCTION "offchain"."resolve_document"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE offchain.resolved_metadata SET next_attempt_at = now() WHERE document_hash = NEW.hash AND state = 'unreachable';
	RETURN NULL;
END;
$$;
--> statement-breakpoint
CREATE TRIGGER "document_resolved" AFTER INSERT ON "offchain"."document"
	FOR EACH ROW EXECUTE FUNCTION "offchain"."resolve_document"();
