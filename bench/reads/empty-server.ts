import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { addEmptyRoute } from "./empty-route";

/** A server of Hono that has nothing but the empty route. */
serve({ fetch: addEmptyRoute(new Hono()).fetch, port: Number(process.env.PORT), hostname: "127.0.0.1" });
