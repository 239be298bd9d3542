import { type SampleStack, sampleStack } from "../support/shared-stack";
import { openBrowser } from "./browser";
import { openExplorer } from "./explorer-page";
import { waitForNames } from "./explorer-samples";

/** A tab of the explorer on the sample stack, for the tests of a file. */
export async function openSampleExplorer() {
  const stack: SampleStack = await sampleStack();
  await waitForNames(stack.apiUrl);
  const browser = await openBrowser();
  const explorer = await openExplorer(browser, stack.apiUrl);
  /** Reads from the API what a page shows. */
  const read = async <Value>(path: string) => (await (await fetch(`${stack.apiUrl}${path}`)).json()) as Value;
  return { stack, browser, explorer, read };
}

export type SampleExplorer = Awaited<ReturnType<typeof openSampleExplorer>>;
