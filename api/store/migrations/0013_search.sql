CREATE INDEX "resolved_metadata_name" ON "offchain"."resolved_metadata" USING btree ("chain_id",lower("name"));--> statement-breakpoint
CREATE INDEX "token_symbol" ON "offchain"."token" USING btree ("chain_id",lower("symbol"));--> statement-breakpoint
CREATE INDEX "token_name" ON "offchain"."token" USING btree ("chain_id",lower("name"));--> statement-breakpoint
-- A search finds tokens by their symbols. A token answers once.
CREATE CONSTRAINT TRIGGER "token_revision" AFTER INSERT OR UPDATE ON "offchain"."token"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
	WHEN (NEW.retry_at IS NULL)
	EXECUTE FUNCTION "offchain"."increment_revision"();
