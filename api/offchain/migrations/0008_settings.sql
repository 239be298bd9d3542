CREATE TABLE "offchain"."published_settings" (
	"database_schema" text PRIMARY KEY NOT NULL,
	"variables" text NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
