import { describe, expect, it } from "vitest";
import { matchPath } from "../../explorer/page";
import { percentOf, safeUrl, shortHex } from "../../explorer/text/format";

describe("numbers for people", () => {
  it("as a percentage are rounded, for counts of any size", () => {
    expect(percentOf("1", "3")).toBe("33.3 %");
    expect(percentOf("2", "3")).toBe("66.7 %");
    expect(percentOf(String(2n ** 255n), String(2n ** 256n))).toBe("50.0 %");
    expect(percentOf("0", "0")).toBeUndefined();
  });

  it("shorten addresses and hashes to their ends", () => {
    expect(shortHex("0x70997970c51812dc3a010c7d01b50e0d17dc79c8")).toBe("0x7099…79c8");
    expect(shortHex("0xa9059cbb")).toBe("0xa9059cbb");
  });
});

describe("a link from metadata", () => {
  it("is offered for http and https only", () => {
    expect(safeUrl("https://example.com/a")).toBe("https://example.com/a");
    for (const text of [
      "javascript:alert(1)",
      " JaVaScRiPt:alert(1)",
      "data:text/html,x",
      "ipfs://agent/1",
      "//host",
      "",
    ])
      expect(safeUrl(text)).toBeUndefined();
  });
});

describe("the pattern of a page", () => {
  it("matches paths with the same parts, and decodes the parameters", () => {
    expect(matchPath("/explore/agents/:id", "/explore/agents/7")).toEqual({ id: "7" });
    expect(matchPath("/explore/agents/:id", "/explore/agents/a%2Fb")).toEqual({ id: "a/b" });
    expect(matchPath("/", "/")).toEqual({});
  });

  it.each(["/explore/agents", "/explore/agents/", "/explore/agents/1/2", "/explore/intents/1", "/explore/agents/%"])(
    "does not match %s",
    (path) => {
      expect(matchPath("/explore/agents/:id", path)).toBeUndefined();
    },
  );
});
