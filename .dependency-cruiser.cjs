/** The layers of the gateway, from the lowest up. A folder may import from the layers below it. */
const layers = [
  ["metrics", "tracing"],
  ["database"],
  ["store", "index", "preflight"],
  ["core"],
  ["http", "events", "metadata", "portfolio", "monitor", "schemas", "tokens"],
  ["payments"],
  ["operations"],
  ["transports"],
];

const upwards = layers.flatMap((folders, level) =>
  folders.map((folder) => ({
    name: `layer-of-api-${folder}`,
    comment: `api/${folder} may import only from the layers of api/ below it.`,
    severity: "error",
    from: { path: `^api/${folder}/` },
    to: {
      path: "^api/",
      pathNot: [folder, ...layers.slice(0, level).flat()].map((allowed) => `^api/${allowed}/`),
    },
  })),
);

const outside = [
  { from: "^src/", to: "^(api|explorer|stack|rpc|scripts|test|bench)/", except: "^src/api/" },
  { from: "^(config|rpc)/", to: "^(api|explorer|src|stack|scripts|test|bench)/" },
  { from: "^client/", to: "^(api|explorer|src|stack|scripts|test|bench|config|rpc)/" },
  { from: "^explorer/", to: "^(api|src|stack|scripts|test|bench|config|rpc)/" },
  { from: "^api/", to: "^(stack|scripts|test|bench)/" },
  { from: "^stack/", to: "^(scripts|test|bench)/" },
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
