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
--> statement-breakpoint
CREATE TABLE "offchain"."attestation_schema" (
  "schema_hash" text PRIMARY KEY,
  "name" text NOT NULL UNIQUE,
  "description" text,
  "json_schema" text NOT NULL,
  "recommended_subject" text,
  "builtin" boolean NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT now()
);
--> statement-breakpoint
INSERT INTO "offchain"."attestation_schema"
  ("schema_hash", "name", "description", "json_schema", "recommended_subject", "builtin")
VALUES
  ('0x9b88c3a8ef3ab7f2203841ea372d2cbb6f11e1749a963c3f4505e671a77ab152', 'solver_reputation', 'How well a solver has filled intents.', '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {"score": {"type": "number", "minimum": 0, "maximum": 1}, "fills": {"type": "integer", "minimum": 0}, "failures": {"type": "integer", "minimum": 0}, "period": {"type": "string"}}, "required": ["score"]}', 'solver', true),
  ('0x09b46a8bc0a12719043d6d59df7c5f70aef0a2b8060f46ea3bf51e7faef6c28c', 'tool_capability', 'That an agent can use a tool, and how.', '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {"tool": {"type": "string"}, "version": {"type": "string"}, "capabilities": {"type": "array", "items": {"type": "string"}}}, "required": ["tool"]}', 'agent', true),
  ('0x0d514e5ddafce1ed34408d04a640c3471a33d3979a3d335490ffc64772059cac', 'model_provider', 'Which model an agent runs on, and who provides it.', '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {"provider": {"type": "string"}, "model": {"type": "string"}, "version": {"type": "string"}}, "required": ["provider", "model"]}', 'agent', true),
  ('0xf86403c755bd616f8ad2a7e5a4eea44746453a6ea893d1ae7d5968ee497e8875', 'safety_review', 'What a review of an agent or a service found.', '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {"reviewer": {"type": "string"}, "result": {"type": "string", "enum": ["passed", "failed", "conditional"]}, "report_uri": {"type": "string"}}, "required": ["reviewer", "result"]}', 'agent', true);
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
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  "updated_at" timestamp with time zone NOT NULL DEFAULT now(),
  PRIMARY KEY ("chain_id", "intent_hash", "owner", "content_hash")
);
--> statement-breakpoint
CREATE TABLE "offchain"."bid" (
  "number" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
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
  "created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "bid_best_first" ON "offchain"."bid"
  ("chain_id", "intent_hash", "amount_out" DESC, "amount_in", "fee", "created_at", "number");
--> statement-breakpoint
CREATE UNIQUE INDEX "bid_one_selected" ON "offchain"."bid" ("chain_id", "intent_hash") WHERE "status" = 'SELECTED';
