// The parts of Vite and vite-node that Ponder uses, for an app that is compiled already (indexer-program.js).
import { modules } from "./app-modules.js";

/** @param {string} id */
async function execute(id) {
  const load = modules[id];
  if (!load) throw new Error(`${id} is not part of the compiled indexer`);
  return load();
}

/** @param {{ root: string }} options */
export const createServer = async ({ root }) => ({
  config: { root },
  close: async () => {},
  pluginContainer: { buildStart: async () => {} },
});

export class ViteNodeServer {
  /** Source maps are found by the comment at the end of the compiled file. */
  getSourceMap() {
    return null;
  }
}

export class ViteNodeRunner {
  constructor() {
    // Ponder has installed its formatter of stack traces. It looks for frames with the path of a source, not with a URL.
    const format = Error.prepareStackTrace;
    if (format) Error.prepareStackTrace = (error, frames) => String(format(error, frames)).replaceAll("file://", "");
  }

  executeFile = execute;
  executeId = execute;
}

/** The Vite plugin for paths in tsconfig.json. The compiler resolves them. */
export default () => undefined;
