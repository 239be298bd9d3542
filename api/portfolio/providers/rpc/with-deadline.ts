/** What is waited for, unless the signal comes first; then the signal's reason is thrown. */
export async function withDeadline<Value>(waiting: Promise<Value>, signal: AbortSignal): Promise<Value> {
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort);
  });
  try {
    return await Promise.race([waiting, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
