// Validates JSON Schemas in a worker thread. Plain JavaScript, because the compiled gateway starts it from this file.
import { parentPort } from "node:worker_threads";
import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import draft6 from "ajv/dist/refs/json-schema-draft-06.json" with { type: "json" };

/** The maximum length of all patterns of a schema together. */
const MAX_PATTERN_CHARACTERS = 10_000;

let patternCharacters = 0;

/**
 * Whether a pattern is a regular expression. Many schemas are written without the flag `u`, which makes escapes stricter.
 * @param {string} pattern
 */
function isPattern(pattern) {
  patternCharacters += pattern.length;
  if (patternCharacters > MAX_PATTERN_CHARACTERS) return false;
  return ["u", ""].some((flags) => {
    try {
      return new RegExp(pattern, flags);
    } catch {
      return false;
    }
  });
}

const options = /** @type {const} */ ({ strict: false, logger: false });

/**
 * Makes a validator check patterns. Ajv itself does not check formats when it validates a schema.
 * @param {import("ajv").default} ajv
 */
const withPatterns = (ajv) =>
  ajv.removeKeyword("format").addKeyword({
    keyword: "format",
    schemaType: "string",
    validate: (/** @type {string} */ format, /** @type {unknown} */ value) =>
      format !== "regex" || typeof value !== "string" || isPattern(value),
  });

/** Draft 6 itself does not require the keys of `patternProperties` to be patterns. */
const draft6Patterns = {
  ...draft6,
  properties: {
    ...draft6.properties,
    patternProperties: { ...draft6.properties.patternProperties, propertyNames: { format: "regex" } },
  },
};

/** Validators of the supported JSON Schema drafts, by the part of `$schema` that identifies the draft. */
const drafts = new Map([
  [
    "draft-06",
    withPatterns(new Ajv({ ...options, meta: false, defaultMeta: draft6.$id })).addMetaSchema(draft6Patterns),
  ],
  ["draft-07", withPatterns(new Ajv(options))],
  ["draft/2019-09", withPatterns(new Ajv2019(options))],
  ["draft/2020-12", withPatterns(new Ajv2020(options))],
]);
const newestDraft = "https://json-schema.org/draft/2020-12/schema";

/** How many errors of a schema are reported, and how many characters of each path. A schema can have long names. */
const MAX_ERRORS = 3;
const MAX_PATH_CHARACTERS = 200;

/** @param {string} path */
const shortened = (path) => (path.length > MAX_PATH_CHARACTERS ? `${path.slice(0, MAX_PATH_CHARACTERS)}…` : path);

/**
 * Returns the problem of a JSON Schema, or null. Default of `$schema`: the newest draft.
 * @param {Record<string, unknown>} schema
 */
function problemOf({ $schema = newestDraft, ...schema }) {
  const ajv = drafts.get(/^https?:\/\/json-schema\.org\/(.+)\/schema#?$/.exec(String($schema))?.[1] ?? "");
  if (!ajv) return `must have a supported $schema: ${[...drafts.keys()].join(", ")}`;
  patternCharacters = 0;
  if (ajv.validateSchema(schema)) return null;
  const errors = ajv.errors ?? [];
  const wrongPattern = errors.find(({ keyword }) => keyword === "format");
  if (wrongPattern)
    return `is not a valid JSON Schema: a pattern (${shortened(wrongPattern.instancePath)}) must be a regular expression, and all patterns together at most ${MAX_PATTERN_CHARACTERS} characters`;
  const sentences = errors
    .slice(0, MAX_ERRORS)
    .map(({ instancePath, message }) => `json_schema${shortened(instancePath)} ${message}`);
  const more = errors.length > MAX_ERRORS ? `, and ${errors.length - MAX_ERRORS} more errors` : "";
  return `is not a valid JSON Schema: ${sentences.join(", ")}${more}`;
}

parentPort?.postMessage("loaded");
parentPort?.on("message", (/** @type {string} */ text) => parentPort?.postMessage(problemOf(JSON.parse(text))));
