import { defineConfig } from "tsdown";
import { docCommentsOnOwnLines } from "./scripts/doc-comments";

/** The dependencies in client/package.json. They are installed with the package, so they are not bundled. */
const installed = [/^@trpc\//, /^@x402\//, /^eventsource-parser/, /^viem/];

/** A file of its own, see client/src/lazy.ts. */
const LAZY = /^\.\/lazy\.js$/;

const shared = {
  outDir: "client/dist",
  target: "es2022",
  fixedExtension: false,
  // Otherwise the path of the lazy file would be that of its source.
  inputOptions: { makeAbsoluteExternalsRelative: false },
} as const;

/** The published package: the client and the ABIs (for Node, browsers and workers), and the CLI. */
export default defineConfig([
  {
    ...shared,
    entry: {
      client: "client/src/index.ts",
      hashing: "client/src/hashing.ts",
      market: "client/src/market/index.ts",
      abis: "abis/index.ts",
    },
    platform: "neutral",
    dts: true,
    deps: { neverBundle: [...installed, LAZY], onlyBundle: [] },
    plugins: [docCommentsOnOwnLines],
  },
  {
    ...shared,
    entry: { lazy: "client/src/lazy.ts" },
    platform: "neutral",
    clean: false,
    deps: { neverBundle: installed, onlyBundle: [] },
  },
  {
    ...shared,
    entry: { cli: "client/cli/main.ts" },
    platform: "node",
    clean: false,
    deps: { neverBundle: [...installed, LAZY], alwaysBundle: [/^(zod|ajv|@modelcontextprotocol)/], onlyBundle: false },
  },
]);
