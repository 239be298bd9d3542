/** The quality of a media type that a range names exactly; undefined if none does. */
function qualityOf(accept: string, type: string): number | undefined {
  for (const range of accept.toLowerCase().split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim());
    if (name !== type) continue;
    const quality = parameters.map((parameter) => /^q=([\d.]+)$/.exec(parameter)?.[1]).find(Boolean);
    return quality === undefined ? 1 : Number(quality);
  }
  return undefined;
}

/**
 * Whether a client wants HTML rather than JSON. Browsers name `text/html`. Programs that accept everything get JSON.
 *
 * @example
 * prefersHtml("text/html,application/xhtml+xml,*\/*;q=0.8") // true
 */
export const prefersHtml = (accept = ""): boolean =>
  (qualityOf(accept, "text/html") ?? 0) > (qualityOf(accept, "application/json") ?? 0);
