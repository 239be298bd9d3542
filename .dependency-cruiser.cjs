/** The layers of the gateway, from the lowest up. A folder may import from the layers below it. */
const layers = [
  ["telemetry"],
  ["indexed", "preflight"],
  ["offchain"],
  ["core"],
  ["tokens"],
  ["http", "events", "metadata", "portfolio", "monitor", "json-schema"],
  ["prices"],
  ["payments", "trust", "actions"],
  ["operations"],
  ["transports"],
];

/** The types of the tokens in the context of every operation. */
const TOKEN_TYPES = "^api/tokens/token\\.ts$";

const upwards = layers.flatMap((folders, level) =>
  folders.map((folder) => ({
    name: `layer-of-api-${folder}`,
    comment: `api/${folder} may import only from the layers of api/ below it.`,
    severity: "error",
    from: { path: `^api/${folder}/` },
    to: {
      path: "^api/",
      pathNot: [TOKEN_TYPES, ...[folder, ...layers.slice(0, level).flat()].map((allowed) => `^api/${allowed}/`)],
    },
  })),
);

const outside = [
  {
    from: "^common/",
    to: "^(abis|api|client|config|explorer|rpc|src|stack|workarounds|scripts|test|bench)/|^ponder\\.",
  },
  { from: "^ponder\\.config\\.ts$", to: "^(api|client|explorer|src|stack|scripts|test|bench)/" },
  { from: "^src/", to: "^(api|client|explorer|stack|rpc|workarounds|scripts|test|bench)/", except: "^src/api/" },
  {
    from: "^(config|rpc)/",
    to: "^(api|client|explorer|src|stack|workarounds|scripts|test|bench)/",
    // The version of the package is that of the service.
    toExcept: "^client/package\\.json$",
  },
  { from: "^workarounds/", to: "^(api|client|explorer|src|stack|scripts|test|bench)/" },
  { from: "^client/", to: "^(api|explorer|src|stack|scripts|test|bench|config|rpc|workarounds)/" },
  { from: "^explorer/", to: "^(api|src|stack|scripts|test|bench|config|rpc|workarounds)/" },
  // The tables are those of ponder.schema.ts.
  { from: "^api/", to: "^(client|src|stack|workarounds|scripts|test|bench)/" },
  { from: "^stack/", to: "^(workarounds|scripts|test|bench)/" },
];

module.exports = {
  forbidden: [
    {
      name: "no-cycles",
      comment: "Files that import each other can't be understood, tested or moved one at a time.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "pure-common",
      comment: "Code in common/ runs in browsers, in the gateway and in the indexer. It has no I/O.",
      severity: "error",
      from: { path: "^common/" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "rows-in-the-build-name",
      comment:
        "Code that determines rows is part of the name of the index build (config/index-build.ts): src/ and common/rows/.",
      severity: "error",
      from: { path: "^(src/(?!api/)|common/rows/)" },
      to: { path: "^common/", pathNot: "^common/rows/", dependencyTypesNot: ["type-only"] },
    },
    ...outside.map(({ from, to, except, toExcept }) => ({
      name: `from-${from}`,
      comment: `${from} must not depend on ${to}.`,
      severity: "error",
      from: { path: from, ...(except && { pathNot: except }) },
      to: { path: to, ...(toExcept && { pathNot: toExcept }) },
    })),
    ...upwards,
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    // Compiled files.
    exclude: { path: "^dist/" },
    tsConfig: { fileName: "tsconfig.json" },
    // Include type imports.
    tsPreCompilationDeps: true,
  },
};
