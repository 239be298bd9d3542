import manifest from "../client/package.json" with { type: "json" };

/** The version of the service and of the published package, which is set in client/package.json only. */
export const { version: VERSION } = manifest;
