CREATE TABLE "offchain"."index_reader" (
	"reader" text PRIMARY KEY NOT NULL,
	"build" text NOT NULL,
	"renewed_at" timestamp with time zone NOT NULL
);
