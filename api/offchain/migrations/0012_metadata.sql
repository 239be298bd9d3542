-- The words of texts, for the text search, which would skip tags. Immutable, unlike array_to_string for any type.
CREATE FUNCTION "offchain"."words"(text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT translate(array_to_string($1, ' '), '<>', '  ') $$;
--> statement-breakpoint
CREATE TABLE "offchain"."metadata_feed" (
	"chain_id" integer PRIMARY KEY NOT NULL,
	"event_id" text DEFAULT '' NOT NULL,
	"block_hash" text DEFAULT '' NOT NULL,
	"holder" text NOT NULL,
	"lease_until" timestamp with time zone NOT NULL
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
CREATE INDEX "resolved_metadata_search" ON "offchain"."resolved_metadata" USING gin ("search");--> statement-breakpoint
CREATE INDEX "resolved_metadata_due" ON "offchain"."resolved_metadata" USING btree ("chain_id","is_remote","next_attempt_at") WHERE "offchain"."resolved_metadata"."next_attempt_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "resolved_metadata_document" ON "offchain"."resolved_metadata" USING btree ("document_hash") WHERE "offchain"."resolved_metadata"."document_hash" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "resolved_metadata_hash" ON "offchain"."resolved_metadata" USING btree ("hash") WHERE "offchain"."resolved_metadata"."hash" IS NOT NULL;
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
