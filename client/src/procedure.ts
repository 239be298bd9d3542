export type CallOptions = { signal?: AbortSignal };

/** An input is optional if all its fields are. */
export type InputOf<Value> = Record<never, never> extends Value ? [input?: Value] : [input: Value];

export type Query<Value, Output> = {
  query: (...parameters: [...InputOf<Value>, options?: CallOptions]) => Promise<Output>;
};

export type Mutation<Value, Output> = {
  mutate: (...parameters: [...InputOf<Value>, options?: CallOptions]) => Promise<Output>;
};
