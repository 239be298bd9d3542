/** An input of an operation, for help and completion. */
export type CliInput = {
  /** What to write, in a few words. */
  type: string;
  required?: boolean;
  default?: string;
  /** The only valid values. */
  values?: readonly string[];
  description?: string;
};

/** An operation of the service, for help and completion. */
export type CliOperation = {
  summary: string;
  description?: string;
  /** An input that succeeds on the chain of `npm start`, except for the value that has a source. */
  example: Readonly<Record<string, unknown>>;
  /** The source of a value that differs between chains: an operation with its example, and the key in its response. */
  exampleSource?: {
    parameter: string;
    operation: string;
    key: string;
    example: Readonly<Record<string, unknown>>;
  };
  inputs: Readonly<Record<string, CliInput>>;
};
