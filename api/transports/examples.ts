import recorded from "./examples.json";

/** The response to the example of each operation, recorded on the sample chain. Arrays have at most two items. */
export const responseExamples: Readonly<Record<string, unknown>> = recorded;
