import { ChromiumUnavailable, findChromium } from "../support/chromium";

/** Where Chromium is. A machine without it, on which it can't be installed, can still run all the other tests. */
export const executablePath = await findChromium().catch((error: unknown) => {
  if (!(error instanceof ChromiumUnavailable)) throw error;
  console.warn(`${error.message} The tests in a browser are left out.`);
  return undefined;
});
