import { afterEach, describe, expect, it, vi } from "vitest";
import { findFoundry } from "../../stack/foundry";

describe("findFoundry", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it("throws a readable error if the binary in ANVIL_BIN does not work", async () => {
    vi.stubEnv("ANVIL_BIN", "/nowhere/anvil");
    await expect(findFoundry("anvil")).rejects.toThrow(
      "ANVIL_BIN is /nowhere/anvil, which does not run. Set it to the path of a working anvil, or unset it.",
    );
  });

  it("uses the binary in FORGE_BIN", async () => {
    vi.stubEnv("FORGE_BIN", process.execPath);
    expect(await findFoundry("forge")).toBe(process.execPath);
  });
});
