CREATE TABLE "offchain"."token_price" (
	"chain_id" integer NOT NULL,
	"address" text NOT NULL,
	"hour" bigint NOT NULL,
	"price" numeric,
	"unit_price" numeric,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "token_price_pkey" PRIMARY KEY("chain_id","address","hour")
);
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "token_price_revision" AFTER INSERT OR UPDATE OR DELETE ON "offchain"."token_price"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "offchain"."increment_revision"();
--> statement-breakpoint
-- Once per transaction: one writes hundreds of prices, and each increment would have to skip the earlier ones.
CREATE OR REPLACE FUNCTION "offchain"."increment_revision"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE offchain.revision SET number = number + 1 WHERE xmin <> pg_current_xact_id()::xid;
	RETURN NULL;
END;
$$;
