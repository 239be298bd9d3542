import type { Api } from "../client/src/api";

/** The calls that only read. In the browser the typed client implements them, in the gateway the operations themselves. */
export type Reads = {
  [Resource in keyof Api]: {
    [Name in keyof Api[Resource] as Api[Resource][Name] extends { query: unknown } ? Name : never]: Api[Resource][Name];
  };
};

/** Receives the error of a part that a page is shown without. */
export type OnFailure = (error: unknown) => void;

/** The value, or null if it does not exist. Other failures are thrown. */
export const ifFound = <Value>(value: Promise<Value>): Promise<Value | null> =>
  value.catch((error: unknown) => {
    if (error instanceof Error && (error as { status?: unknown }).status === 404) return null;
    throw error;
  });

/** The value, or null if it can't be read. For parts that a page can be shown without. */
export const ifAvailable = <Value>(value: Promise<Value>, onFailure: OnFailure): Promise<Value | null> =>
  value.catch((error: unknown) => {
    onFailure(error);
    return null;
  });
