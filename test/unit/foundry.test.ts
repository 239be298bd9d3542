import { afterEach, describe, expect, it, vi } from "vitest";
import { findFoundry } from "../../stack/foundry";

describe("findFoundry", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it("says in a sentence that the binary named by ANVIL_BIN does not work", async () => {
    vi.stubEnv("ANVIL_BIN", "/nowhere/anvil");
    await expect(findFoundry("anvil")).rejects.toThrow(
      "ANVIL_BIN is /nowhere/anvil, which does not run. Set it to the path of a working anvil, or unset it.",
    );
  });

  it("takes the binary that FORGE_BIN names when it works", async () => {
    vi.stubEnv("FORGE_BIN", process.execPath);
    expect(await findFoundry("forge")).toBe(process.execPath);
  });
});
