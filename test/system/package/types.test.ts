import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { compilers, run } from "../../support/package-installation";
import { installedPackage } from "./installed";

/** A mistake that only the types can show. */
const wrong = `import { createIntentryClient } from "intentry";
const agent = await createIntentryClient({ url: "" }).agents.get({ agentId: "1" });
export const id: string = agent.agent_ID;`;

describe("the installed package", () => {
  let project: string;
  beforeAll(async () => {
    ({ project } = await installedPackage());
    const { files, ...config } = JSON.parse(await readFile(join(project, "tsconfig.json"), "utf8"));
    await writeFile(join(project, "wrong.ts"), wrong);
    await writeFile(join(project, "tsconfig.wrong.json"), JSON.stringify({ ...config, files: [...files, "wrong.ts"] }));
  }, 600_000);

  it.each(Object.keys(compilers))(
    "has types that %s accepts in strict mode",
    async (compiler) => {
      // It compiles all files, and reports only the error in wrong.ts.
      const tsc = run(
        process.execPath,
        [join("node_modules", compiler, "bin", "tsc"), "--noEmit", "--project", "tsconfig.wrong.json"],
        project,
      );
      const printed = await tsc.then(
        () => "",
        (error: Error) => error.message,
      );
      expect(printed.match(/^\S+\.ts\(\d+,.*$/gm)).toEqual([expect.stringMatching(/^wrong\.ts\(3,.*agent_ID/)]);
    },
    180_000,
  );
});
