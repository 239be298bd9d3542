import { type SQL, sql } from "drizzle-orm";

/** Letters of other scripts that look like a Latin one, in lowercase and uppercase. */
const homoglyphs: Readonly<Record<string, string>> = {
  a: "аАαΑ",
  b: "вВβΒьЬ",
  c: "сСϲϹ",
  d: "ԁԀ",
  e: "еЕёЁεΕ",
  g: "ɡ",
  h: "һҺнНηΗ",
  i: "іІїЇιΙıɪ",
  j: "јЈϳ",
  k: "кКκΚ",
  l: "ӏӀⅼ",
  m: "мМμΜ",
  n: "пПΝ",
  o: "оОοΟσօ",
  p: "рРρΡ",
  q: "ԛԚ",
  r: "гГ",
  s: "ѕЅ",
  t: "тТτΤ",
  u: "υսцЦ",
  v: "νѵѴ",
  w: "ԝԜωшШ",
  x: "хХχΧ",
  y: "уУүҮγΥ",
  z: "ᴢΖ",
};

/** Joiners and variation selectors. Other invisible characters of metadata are spaces already (common/text.ts). */
const INVISIBLE = "\u200c\u200d\ufe0e\ufe0f";

/** Characters that pass for a letter, in two readings: 1 and I as l, or as i. */
const readings = [
  { from: "015$I|", to: "olssll" },
  { from: "01I|", to: "oiii" },
] as const;

type Translation = { from: string; to: string };

const scripts: Translation = {
  from: Object.values(homoglyphs).join(""),
  to: Object.entries(homoglyphs)
    .map(([letter, others]) => letter.repeat([...others].length))
    .join(""),
};

const withoutInvisible: Translation = { from: scripts.from + INVISIBLE, to: scripts.to };

/** Replaces each character of `from` by that of `to`; removes it if there is none. As PostgreSQL's `translate`. */
function translate(text: string, { from, to }: Translation): string {
  const target = [...to];
  const positions = new Map([...from].map((character, index) => [character, index] as const).reverse());
  return [...text]
    .map((character) => {
      const position = positions.get(character);
      return position === undefined ? character : (target[position] ?? "");
    })
    .join("");
}

/**
 * The names that a name may pass for: itself, and with the letters of other scripts, invisible characters and digits
 * replaced by the Latin letters that they look like. All in lowercase.
 *
 * @example
 * skeletonsOf("Sky1ine Dаta") // contains "skyline data"
 */
export function skeletonsOf(name: string): string[] {
  const plain = translate(name.normalize("NFKC"), withoutInvisible);
  const others = [plain, ...readings.map((reading) => translate(plain, reading))];
  return [name, ...others.map((other) => other.replace(/ +/g, " ").trim())].map((one) => one.toLowerCase());
}

const asText = (text: string) => sql.raw(`'${text.replaceAll("'", "''")}'`);
const translated = (text: SQL, { from, to }: Translation) => sql`translate(${text}, ${asText(from)}, ${asText(to)})`;

/** The same as an SQL array, so that one statement finds the names of other records. */
export function skeletonsIn(name: SQL): SQL {
  const plain = translated(sql`normalize(${name}, NFKC)`, withoutInvisible);
  const others = [plain, ...readings.map((reading) => translated(plain, reading))];
  const all = [name, ...others.map((other) => sql`btrim(regexp_replace(${other}, ' +', ' ', 'g'))`)];
  return sql`ARRAY[${sql.join(
    all.map((one) => sql`lower(${one})`),
    sql`, `,
  )}]`;
}
