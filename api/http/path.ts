const SHOWN_CHARACTERS = 200;

/** The path of a request as a sentence and a log line hold it: cut when it is long. */
export const shownPath = (path: string) =>
  path.length > SHOWN_CHARACTERS ? `${path.slice(0, SHOWN_CHARACTERS)}…` : path;
