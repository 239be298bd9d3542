import fc from "fast-check";
import { HTTPException } from "hono/http-exception";
import { describe, expect, it } from "vitest";
import { BadInput, NotFound, TooMany, Unauthorized, Unavailable } from "../../api/core/errors";
import { failureOf } from "../../api/http/failure";
import { AllChainsFailed } from "../../api/portfolio/provider";

const withCode = (code: string, message = "secret detail") => Object.assign(new Error(message), { code });

const soon = { "retry-after": "5" };

describe("the response to an error", () => {
  it.each([
    ["bad input", new BadInput("limit: is empty", "owner: is required"), 400, "limit: is empty; owner: is required"],
    ["a missing row", new NotFound("Agent 7 not found"), 404, "Agent 7 not found"],
    ["an unavailable dependency", new Unavailable("The chain does not answer"), 503, "The chain does not answer"],
    [
      "a provider that can't read any chain",
      new AllChainsFailed(["base: can't be read, because RPC_URL_BASE is not set"]),
      500,
      "No chain could be read: base: can't be read, because RPC_URL_BASE is not set",
    ],
    ["an HTTPException", new HTTPException(503, { message: "too slow" }), 503, "too slow"],
  ])("has the status and message of %s", (_, error, status, message) => {
    expect(failureOf(error)).toMatchObject({ status, message, fault: false, headers: status === 503 ? soon : {} });
  });

  const away = {
    status: 503,
    code: "unavailable",
    message: "The database does not answer; try again shortly",
    fault: true,
    headers: soon,
  };

  it.each([
    ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"],
    ...["08006", "53300", "57P01", "57P03"],
  ])("is a 503 for the database error %s", (code) => {
    expect(failureOf(withCode(code))).toEqual(away);
  });

  it.each([
    "Connection terminated unexpectedly",
    "Connection terminated due to connection timeout",
    "timeout exceeded when trying to connect",
    "Client has encountered a connection error and is not queryable",
    "Client was closed and is not queryable",
    "Cannot use a pool after calling end on the pool",
    "timeout expired",
    "Query read timeout",
  ])("is a 503 for the driver error %j", (message) => {
    expect(failureOf(new Error(message))).toEqual(away);
  });

  it("is a 503 for a Unix socket that does not exist, but not for another missing file", () => {
    const missing = (syscall: string) => Object.assign(withCode("ENOENT"), { syscall });
    expect(failureOf(missing("connect"))).toEqual(away);
    expect(failureOf(missing("open"))).toMatchObject({ status: 500 });
  });

  it("has a message of a bounded length", () => {
    expect(failureOf(new BadInput("x".repeat(1_000_000))).message).toBe(`${"x".repeat(4_000)}…`);
  });

  it("is a 503 for a nested cause at any depth", () => {
    const refused = withCode("ECONNREFUSED");
    expect(failureOf(new Error("Failed query", { cause: refused }))).toEqual(away);
    expect(failureOf(new Error("outer", { cause: new Error("inner", { cause: refused }) }))).toEqual(away);
  });

  it.each([
    ["25006", "The database is read-only, so nothing was written; try again shortly"],
    ["55P03", "The database is busy, so nothing was written; try again shortly"],
    ["57014", "The database took too long; try again shortly"],
    ["42P01", "The index is not built yet; try again shortly"],
    ["3F000", "The index is not built yet; try again shortly"],
  ])("is a 503 with its own message for the database error %s, also as the cause", (code, message) => {
    const failure = { ...away, message };
    expect(failureOf(withCode(code))).toEqual(failure);
    expect(failureOf(new Error("Failed query", { cause: withCode(code) }))).toEqual(failure);
  });

  it("is a 400 when the client disconnects while sending the body", () => {
    const message = "body: ended before it was complete; send the whole body";
    expect(failureOf(withCode("ECONNRESET", "aborted"))).toEqual({
      status: 400,
      code: "invalid_input",
      message,
      fault: false,
      headers: {},
    });
    expect(failureOf(withCode("ECONNRESET", "read ECONNRESET"))).toEqual(away);
  });

  const unforeseen = {
    status: 500,
    code: "internal_error",
    message: "Internal error; the server's log has the details under this request's id",
    fault: true,
    headers: {},
  };

  it("has Retry-After and rate-limit headers for a 429", () => {
    expect(failureOf(new TooMany("More than 5 writes in a minute", 30, 5)).headers).toEqual({
      "retry-after": "30",
      ratelimit: "limit=5, remaining=0, reset=30",
    });
  });

  it("has WWW-Authenticate for a 401", () => {
    expect(failureOf(new Unauthorized("authorization: is needed")).headers).toEqual({ "www-authenticate": "Bearer" });
  });

  it.each([
    ["a bug", new TypeError("secret detail")],
    ["an SQL error", withCode("42703")],
    ["a constraint violation", withCode("23505")],
    ["a code with the same prefix", withCode("ECONNREFUSED2")],
    ["a message that contains one", new Error("a user wrote: Connection terminated")],
    ["a cause that is not an Error", new Error("secret detail", { cause: { code: "ECONNREFUSED" } })],
    ["a string", "secret detail"],
    ["undefined", undefined],
    ["null", null],
  ])("leaks nothing about %s", (_, error) => {
    expect(failureOf(error)).toEqual(unforeseen);
  });

  it("leaks nothing about anything else that may be thrown", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          fc.string().map((text) => new Error(`x${text}`)),
        ),
        (thrown) => {
          expect(failureOf(thrown)).toEqual(unforeseen);
        },
      ),
    );
  });
});
