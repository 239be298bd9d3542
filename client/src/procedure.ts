/** Options of a single call. */
export type CallOptions = {
  /** Ends the call with the signal's reason. */
  signal?: AbortSignal;
};

/** An input is optional if all its fields are. */
export type InputOf<Value> = Record<never, never> extends Value ? [input?: Value] : [input: Value];

type Call<Value, Output> = (...parameters: [...InputOf<Value>, options?: CallOptions]) => Promise<Output>;

/** A call that only reads. It is retried after temporary failures. `query` is the same call, as in tRPC. */
export type Query<Value, Output> = Call<Value, Output> & {
  /** Calls the service. Throws an IntentryError if it fails. */
  query: Call<Value, Output>;
};

/** A call that writes. It is retried only if it was not executed. `mutate` is the same call, as in tRPC. */
export type Mutation<Value, Output> = Call<Value, Output> & {
  /** Calls the service. Throws an IntentryError if it fails. */
  mutate: Call<Value, Output>;
};
