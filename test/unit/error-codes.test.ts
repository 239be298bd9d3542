import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { codeOfStatus, errorCodes } from "../../api/core/error-codes";
import * as errors from "../../api/core/errors";
import { AllChainsFailed } from "../../api/portfolio/provider";
import { openApiDocument } from "../../api/transports/openapi";

const thrown = [
  new errors.BadInput("limit: is empty"),
  new errors.Unauthorized("authorization: is required"),
  new errors.Forbidden("disabled"),
  new errors.NotFound("Agent 7 not found"),
  new errors.Conflict("differs"),
  new errors.InProgress("in progress", 1),
  new errors.Gone("expired"),
  new errors.TooLarge("too large"),
  new errors.TooMany("too many", 1),
  new errors.Unavailable("away"),
  new errors.PaymentUnknown("not known yet"),
  new AllChainsFailed([]),
];

describe("error codes", () => {
  it.each(thrown)("have the status of $name", ({ code, status }) => {
    expect(errorCodes[code].status).toBe(status);
  });

  it("are different for every error", () => {
    expect(new Set(thrown.map(({ code }) => code)).size).toBe(thrown.length);
    expect(Object.values(errors).length).toBe(thrown.length);
  });

  it.each([
    [400, "invalid_input"],
    [404, "not_found"],
    [409, "conflict"],
    [415, "unsupported_media_type"],
    [418, "invalid_input"],
    [500, "internal_error"],
    [502, "internal_error"],
    [503, "unavailable"],
  ])("of the status %i of a library: %s", (status, code) => {
    expect(codeOfStatus(status)).toBe(code);
  });

  it("are all in docs/api.md and in the OpenAPI document", async () => {
    const page = await readFile(new URL("../../docs/api.md", import.meta.url), "utf8");
    const [, section = ""] = page.split("### Error codes\n");
    const items = section.split("\n## ")[0]?.match(/^- `.*$/gm);
    expect(items).toEqual(
      Object.entries(errorCodes).map(([code, { status, meaning }]) => `- \`${code}\` (${status}): ${meaning}`),
    );
    expect(openApiDocument().components?.schemas).toMatchObject({
      ErrorCode: { enum: Object.keys(errorCodes) },
      Error: { required: ["error", "code"] },
    });
  });
});
