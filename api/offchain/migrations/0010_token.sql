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
CREATE INDEX "token_retry_at" ON "offchain"."token" USING btree ("retry_at");
--> statement-breakpoint
-- Only answers of contracts change responses. Anyone can ask for addresses that are not tokens.
CREATE CONSTRAINT TRIGGER "token_revision" AFTER INSERT OR UPDATE ON "offchain"."token"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.retry_at IS NULL) EXECUTE FUNCTION "offchain"."increment_revision"();
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "token_deletion_revision" AFTER DELETE ON "offchain"."token"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.retry_at IS NULL) EXECUTE FUNCTION "offchain"."increment_revision"();
