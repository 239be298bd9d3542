import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { createGateway } from "../../api/gateway";
import type { Context } from "../../api/operations/context";

type Line = { level: number; msg: string; request_id: string; status?: number; err?: { message: string } };

/** A gateway over a database that throws, and the lines it logs. */
function gatewayOver(error: Error) {
  const lines: Line[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const db = {
    select: () => {
      throw error;
    },
  };
  const head = async () => ({ historyDone: true, block: 7n, timestamp: 1n, builtBlock: 7n });
  return { gateway: createGateway({ db, head, config: {} } as unknown as Context, log), lines };
}

describe("an unexpected error behind the gateway", () => {
  const secret = "password authentication failed for user hunter2";

  it("returns 500 without details, and logs them with the request id", async () => {
    const { gateway, lines } = gatewayOver(new Error(secret));
    const response = await gateway.request("/agents/1");
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({
      error: "Internal error; the server's log has the details under this request's id",
      code: "internal_error",
    });
    expect(JSON.stringify([...response.headers])).not.toContain("hunter2");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    const request_id = response.headers.get("x-request-id");
    expect(lines).toMatchObject([
      { level: 50, msg: "failed request", request_id, err: { message: secret } },
      { level: 30, msg: "request", request_id, status: 500 },
    ]);
  });

  it("returns 503 with Retry-After if the database is unavailable", async () => {
    const { gateway, lines } = gatewayOver(Object.assign(new Error(secret), { code: "ECONNREFUSED" }));
    const response = await gateway.request("/agents/1");
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("5");
    expect(await response.json()).toEqual({
      error: "The database does not answer; try again shortly",
      code: "unavailable",
    });
    expect(lines.map(({ msg }) => msg)).toEqual(["failed request", "request"]);
  });

  it("is not reached by invalid input", async () => {
    const { gateway, lines } = gatewayOver(new Error(secret));
    expect((await gateway.request("/agents/x")).status).toBe(400);
    expect(lines).toMatchObject([{ level: 30, msg: "request", status: 400 }]);
  });
});
