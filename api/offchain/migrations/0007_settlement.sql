ALTER TABLE "offchain"."payment" ADD COLUMN "block_number" bigint;--> statement-breakpoint
ALTER TABLE "offchain"."payment" ADD COLUMN "block_hash" text;--> statement-breakpoint
ALTER TABLE "offchain"."payment" ADD COLUMN "payload" text;
