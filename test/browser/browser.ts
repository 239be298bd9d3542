import { inject } from "vitest";

/** The path of Chromium. Undefined if none was found: the browser tests are skipped. */
export const executablePath = inject("chromium") ?? undefined;
