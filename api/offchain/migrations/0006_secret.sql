CREATE TABLE "offchain"."secret" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text DEFAULT replace(concat(gen_random_uuid(), gen_random_uuid()), '-', '') NOT NULL
);
--> statement-breakpoint
INSERT INTO "offchain"."secret" ("name") VALUES ('cursor');
