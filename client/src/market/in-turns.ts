/** Runs the tasks of one key one after another. Tasks of different keys run at the same time. */
export function inTurns<Key>() {
  const last = new Map<Key, Promise<unknown>>();
  return <Value>(key: Key, task: () => Promise<Value>): Promise<Value> => {
    const turn = (last.get(key) ?? Promise.resolve()).then(task, task);
    last.set(key, turn);
    const forget = () => {
      if (last.get(key) === turn) last.delete(key);
    };
    turn.then(forget, forget);
    return turn;
  };
}
