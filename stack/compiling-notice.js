// Plain JavaScript, because it runs before anything is compiled.

/** Times until the first line, and between lines. */
const FIRST_MS = 1_000;
const REPEAT_MS = 2_500;

/**
 * Waits for the compilation of a program. While it takes long, as on a busy machine, prints a line every few seconds.
 * @template Result
 * @param {Promise<Result>} compiling
 * @param {(text: string) => void} print
 * @returns {Promise<Result>}
 */
export async function noticeWhile(compiling, print) {
  /** @type {NodeJS.Timeout} */
  let timer;
  const notice = () => {
    print("Compiling the programs, once after an update");
    timer = setTimeout(notice, REPEAT_MS);
  };
  timer = setTimeout(notice, FIRST_MS);
  try {
    return await compiling;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Prints a line of a start: as JSON like the lines that follow, unless a person reads them.
 * @param {string} msg
 */
export function printStarting(msg) {
  const { NETWORK, CHAIN_ID } = process.env;
  const isJson = !process.stdout.isTTY && (process.argv.includes("--role") || NETWORK || CHAIN_ID);
  console.log(isJson ? JSON.stringify({ level: 30, time: Date.now(), pid: process.pid, msg }) : msg);
}
