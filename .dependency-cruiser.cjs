/** The layers of the gateway, from the lowest up. A folder may import from the layers below it. */
const layers = [
  ["telemetry"],
  ["indexed", "preflight"],
  ["offchain"],
  ["core"],
  ["tokens"],
  ["http", "events", "metadata", "portfolio", "monitor", "json-schema"],
  ["payments"],
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
  { from: "^ponder\\.config\\.ts$", to: "^(api|explorer|src|stack|scripts|test|bench)/" },
  { from: "^src/", to: "^(api|explorer|stack|rpc|workarounds|scripts|test|bench)/", except: "^src/api/" },
  { from: "^(config|rpc)/", to: "^(api|explorer|src|stack|workarounds|scripts|test|bench)/" },
  { from: "^workarounds/", to: "^(api|explorer|src|stack|scripts|test|bench)/" },
  { from: "^client/", to: "^(api|explorer|src|stack|scripts|test|bench|config|rpc|workarounds)/" },
  { from: "^explorer/", to: "^(api|src|stack|scripts|test|bench|config|rpc|workarounds)/" },
  { from: "^api/", to: "^(stack|workarounds|scripts|test|bench)/" },
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
    ...outside.map(({ from, to, except }) => ({
      name: `from-${from}`,
      comment: `${from} must not depend on ${to}.`,
      severity: "error",
      from: { path: from, ...(except && { pathNot: except }) },
      to: { path: to },
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
