import { inject } from "vitest";

/** Where Chromium is; undefined on a machine without it, which skips the browser tests. */
export const executablePath = inject("chromium") ?? undefined;
