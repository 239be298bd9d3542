import { type Browser, chromium } from "playwright-core";
import { inject } from "vitest";
import { ask } from "../support/once-per-run";

const paths = inject("chromium");

/** Whether Chromium was found. If not, the browser tests are skipped. */
export const hasChromium = paths !== null;

/** Connects to the Chromium of all browser tests. */
export async function openBrowser(): Promise<Browser> {
  if (!paths) throw new Error("Chromium was not found");
  return chromium.connect(await ask<string>(paths, 60_000));
}
