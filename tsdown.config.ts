import { defineConfig } from "tsdown";

/** The published package: the client and the contracts' ABIs, for Node, browsers and workers. */
export default defineConfig({
  entry: { client: "client/index.ts", abis: "abis/index.ts" },
  outDir: "client/dist",
  platform: "neutral",
  target: "es2022",
  dts: true,
  fixedExtension: false,
  // What client/package.json asks for is installed with the package.
  deps: { neverBundle: [/^@trpc\//, /^@x402\//, "viem"], onlyBundle: [] },
});
