CREATE TABLE "offchain"."revision" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"number" bigint DEFAULT 0 NOT NULL
);
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
