import { defineConfig } from "tsdown";

/** What client/package.json asks for is installed with the package; nothing else is. */
const installed = [/^@trpc\//, /^@x402\//, /^eventsource-parser/, /^viem/];

const shared = { outDir: "client/dist", target: "es2022", fixedExtension: false } as const;

/** The published package: the client and the contracts' ABIs, for Node, browsers and workers, and the command line. */
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
