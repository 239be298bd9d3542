import type { Hono } from "hono";

export const EMPTY_PATH = "/empty";

/** Adds a route that does nothing. A request's body is read, as HTTP requires. */
export const addEmptyRoute = (app: Hono): Hono =>
  app
    .get(EMPTY_PATH, (c) => c.text("ok"))
    .post(EMPTY_PATH, async (c) => {
      await c.req.arrayBuffer();
      return c.text("ok");
    });
