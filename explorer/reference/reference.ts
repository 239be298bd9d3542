/** A value that an operation takes. */
export type ReferenceField = {
  name: string;
  place: "path" | "query" | "header" | "body";
  isRequired: boolean;
  /** The type in words. Names of types are in backticks. */
  type: string;
  description: string;
  /** The value of the operation's example; empty if it has none. */
  value: string;
  /** The values that it accepts; empty if there are too many. */
  choices: readonly string[];
  /** Where the example's value is read if it differs between chains: a path, and a key in the response. */
  source?: { path: string; key: string } | undefined;
};

type ReferenceSample = { label: string; code: string };

export type ReferenceOperation = {
  /** The name in the typed client, such as `intents.get`. */
  name: string;
  method: string;
  path: string;
  title: string;
  description: string;
  fields: readonly ReferenceField[];
  /** The request body of the example, as JSON. */
  body: string | undefined;
  samples: readonly ReferenceSample[];
  responses: readonly { status: string; type: string | undefined; description: string }[];
  /** The recorded response to the example. */
  response: string | undefined;
  /** Whether the page can send the request. Writes can't be sent. */
  canTry: boolean;
  isPaid: boolean;
};

export type ReferenceType = {
  name: string;
  description: string;
  fields: readonly Pick<ReferenceField, "name" | "isRequired" | "type" | "description">[];
};

/** The content of the reference page, derived from the OpenAPI document. */
export type Reference = {
  version: string;
  summary: string;
  topics: readonly { title: string; text: string }[];
  recipes: readonly { title: string; samples: readonly ReferenceSample[] }[];
  groups: readonly { title: string; description: string; operations: readonly ReferenceOperation[] }[];
  types: readonly ReferenceType[];
};
