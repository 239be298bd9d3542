/** What may be said about a single call. */
export type CallOptions = { signal?: AbortSignal };

/** An input whose members are all optional may be left out. */
export type InputOf<Value> = Record<never, never> extends Value ? [input?: Value] : [input: Value];

/** A call that reads. */
export type Query<Value, Output> = {
  query: (...parameters: [...InputOf<Value>, options?: CallOptions]) => Promise<Output>;
};

/** A call that writes. */
export type Mutation<Value, Output> = {
  mutate: (...parameters: [...InputOf<Value>, options?: CallOptions]) => Promise<Output>;
};
