/** The modules of the Ponder app, by path. indexer-program.js generates this module. */
export const modules: Record<string, (() => Promise<unknown>) | undefined>;
