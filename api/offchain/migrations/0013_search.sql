CREATE INDEX "resolved_metadata_name" ON "offchain"."resolved_metadata" USING btree ("chain_id",lower("name"));--> statement-breakpoint
CREATE INDEX "token_symbol" ON "offchain"."token" USING btree ("chain_id",lower("symbol"));--> statement-breakpoint
CREATE INDEX "token_name" ON "offchain"."token" USING btree ("chain_id",lower("name"));
