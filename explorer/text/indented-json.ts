/** Indentation grows with the depth: a short text of many levels would become gigabytes. */
const MAX_DEPTH = 32;

/** The number of levels of a JSON text. Brackets in strings don't count. */
function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[{]|[\]}]/g)) {
    if (token === "[" || token === "{") deepest = Math.max(deepest, ++depth);
    else if (token === "]" || token === "}") depth--;
  }
  return deepest;
}

/**
 * Indents a JSON text. Texts that are not JSON, or have too many levels, stay as they are.
 *
 * @example
 * indentedJson('{"a":1}') // '{\n  "a": 1\n}'
 */
export function indentedJson(text: string): string {
  if (depthOf(text) > MAX_DEPTH) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
