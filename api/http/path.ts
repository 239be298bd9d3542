const MAX_PATH_CHARACTERS = 200;

/** Truncates a request path for messages and logs. */
export const truncatePath = (path: string) =>
  path.length > MAX_PATH_CHARACTERS ? `${path.slice(0, MAX_PATH_CHARACTERS)}…` : path;
