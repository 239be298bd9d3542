import { compareServers } from "../test/support/same-answers/compare";

/**
 * Compares the answers of two servers of the same data, for every route. Exits with 1 if any differ.
 * `node --import tsx bench/same-answers.ts http://127.0.0.1:3001 http://127.0.0.1:3002`
 */
const [one, other] = process.argv.slice(2);
if (!one || !other) throw new Error("Usage: node --import tsx bench/same-answers.ts URL URL");
const { differences, compared } = await compareServers(one, other);
for (const difference of differences) console.error(difference);
console.log(`${compared} answers compared, ${differences.length} differences`);
if (differences.length > 0) process.exitCode = 1;
