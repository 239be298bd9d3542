ALTER TABLE "offchain"."document" ADD COLUMN "receipt_id" text;--> statement-breakpoint
ALTER TABLE "offchain"."document" ADD COLUMN "quote_hash" text;--> statement-breakpoint
ALTER TABLE "offchain"."document" ADD COLUMN "payload_hash" text;--> statement-breakpoint
ALTER TABLE "offchain"."document" ADD COLUMN "encryption" text;--> statement-breakpoint
ALTER TABLE "offchain"."document" ADD COLUMN "merchant_key_id" text;--> statement-breakpoint
ALTER TABLE "offchain"."document" ADD COLUMN "evidence_type" text;--> statement-breakpoint
-- Receipts link fulfillment evidence, so publishing it changes their responses. Other new documents change none.
CREATE CONSTRAINT TRIGGER "evidence_revision" AFTER INSERT ON "offchain"."document"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.kind = 'fulfillment-evidence')
	EXECUTE FUNCTION "offchain"."increment_revision"();
