import { defineConfig } from "tsdown";

/** The dependencies in client/package.json. They are installed with the package, so they are not bundled. */
const installed = [/^@trpc\//, /^@x402\//, /^eventsource-parser/, /^viem/];

const shared = { outDir: "client/dist", target: "es2022", fixedExtension: false } as const;

/** The published package: the client and the ABIs (for Node, browsers and workers), and the CLI. */
export default defineConfig([
  {
    ...shared,
    entry: { client: "client/src/index.ts", abis: "abis/index.ts" },
    platform: "neutral",
    dts: true,
    deps: { neverBundle: installed, onlyBundle: [] },
  },
  {
    ...shared,
    entry: { cli: "client/cli/main.ts" },
    platform: "node",
    clean: false,
    deps: { neverBundle: installed, alwaysBundle: [/^(zod|ajv|@modelcontextprotocol)/], onlyBundle: false },
  },
]);
