import { pathToFileURL } from "node:url";
import { InvalidEnvironment, parseEnvironment } from "../../config/environment";
import { type LocalDeployment, readLocalDeployment } from "../../config/networks";
import { exampleProgram, isExample, MARKET, names, runMarket } from "../local/examples";

// Runs an example with the stack of `npm start`: npm run example solver

/** Prints a sentence and ends with 1. */
function fail(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}

/** The running stack. It has the settings of `npm start`. */
async function runningStack(): Promise<LocalDeployment> {
  try {
    const deployment = readLocalDeployment(parseEnvironment(process.env).stateFolder);
    await fetch(`${deployment.apiUrl}/health`);
    return deployment;
  } catch (error) {
    if (error instanceof InvalidEnvironment) fail(error.message);
    fail("No local stack is running. Start it in another terminal with npm start, with the same settings.");
  }
}

const [name = "", ...args] = process.argv.slice(2);
if (name !== MARKET && !isExample(name)) fail(`Usage: npm run example <${[...names, MARKET].join(" | ")}>`);
const { apiUrl, rpcUrl } = await runningStack();
if (isExample(name)) {
  process.argv = [process.execPath, name, apiUrl, rpcUrl, ...args];
  await import(pathToFileURL(exampleProgram(name)).href);
} else {
  const [seconds = "60"] = args;
  if (!/^\d{1,6}$/.test(seconds)) fail(`The seconds must be a whole number, not ${seconds}`);
  process.exitCode = await runMarket({ apiUrl, rpcUrl, seconds: Number(seconds) });
}
