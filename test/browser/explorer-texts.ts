import type { Page } from "playwright-core";
import { openFolds } from "./explorer-page";

/** The widths of a desktop, a tablet and a phone. */
export const widths = [1280, 768, 390] as const;

/** Runs in a page: describes the texts that overlap others or pictures, are cut, or are broken inside a short word. */
function textProblems(): string[] {
  /** What pixels are rounded by. */
  const TOLERANCE = 2;
  /** Longer words must be broken somewhere on a phone. */
  const LONGEST_WORD = 20;
  type Box = { left: number; right: number; top: number; bottom: number };
  type Line = Box & { text: string; node: Node };

  const problems = new Set<string>();
  const lines: Line[] = [];
  const isHidden = (element: Element) =>
    !element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) ||
    element.closest(".visually-hidden, .skip, option, textarea, svg") !== null;
  const ancestorsOf = (element: Element) => {
    const found: Element[] = [];
    for (let current: Element | null = element; current; current = current.parentElement) found.push(current);
    return found;
  };
  const boxOf = (element: Element): Box => {
    const { left, top } = element.getBoundingClientRect();
    const [x, y] = [left + element.clientLeft, top + element.clientTop];
    return { left: x, top: y, right: x + element.clientWidth, bottom: y + element.clientHeight };
  };
  const isEmpty = ({ left, right, top, bottom }: Box) => right - left <= TOLERANCE || bottom - top <= TOLERANCE;
  const overlap = (one: Box, other: Box): Box => ({
    left: Math.max(one.left, other.left),
    right: Math.min(one.right, other.right),
    top: Math.max(one.top, other.top),
    bottom: Math.min(one.bottom, other.bottom),
  });
  const exceeds = (inner: Box, outer: Box) =>
    inner.left < outer.left - TOLERANCE ||
    inner.right > outer.right + TOLERANCE ||
    inner.top < outer.top - TOLERANCE ||
    inner.bottom > outer.bottom + TOLERANCE;
  /** The part of a box that its scrolling ancestors show. */
  const shownPart = (box: Box, ancestors: readonly Element[]) =>
    ancestors.reduce((shown, ancestor) => {
      const { overflowX, display } = getComputedStyle(ancestor);
      return overflowX === "visible" || display === "inline" ? shown : overlap(shown, boxOf(ancestor));
    }, box);
  const short = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const [element, text] = [node.parentElement, node.textContent ?? ""];
    if (!element || text.trim() === "" || isHidden(element)) continue;
    const ancestors = ancestorsOf(element).map((ancestor) => ({ ancestor, style: getComputedStyle(ancestor) }));
    // A table's header on a phone, for screen readers only.
    if (ancestors.some(({ style }) => style.clipPath !== "none")) continue;
    const fontSize = Number.parseFloat(getComputedStyle(element).fontSize);
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const { left, right, top, bottom } of range.getClientRects()) {
      // The font's box is higher than its letters, and larger than a line.
      const inset = Math.max(0, (bottom - top - fontSize * 0.8) / 2);
      let box: Box = { left, right, top: top + inset, bottom: bottom - inset };
      for (const { ancestor, style } of ancestors) {
        if (style.overflowX === "visible" || style.display === "inline") continue;
        const isCut = [style.overflowX, style.overflowY].some((value) => value === "hidden" || value === "clip");
        const hasEllipsis = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
        if (isCut && !hasEllipsis && exceeds(box, boxOf(ancestor))) problems.add(`cut: ${short(text)}`);
        box = overlap(box, boxOf(ancestor));
      }
      const card = element.closest(".card");
      if (card && !isEmpty(box) && exceeds(box, boxOf(card))) problems.add(`outside of its card: ${short(text)}`);
      if (!isEmpty(box)) lines.push({ ...box, text: text.trim(), node });
    }
    // A line may end at a hyphen, anywhere in a URL, and anywhere in some scripts.
    for (const { 0: word, index } of text.matchAll(/[^\s-]+/g)) {
      if (word.length > LONGEST_WORD || !/^[\w.,:;$%#…×^()'"!?~+]+$/.test(word)) continue;
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const tops = [...range.getClientRects()].map(({ top }) => top);
      if (Math.max(...tops) - Math.min(...tops) > TOLERANCE) problems.add(`broken: ${word} in ${short(text.trim())}`);
    }
  }
  lines.sort((one, other) => one.top - other.top);
  for (const [index, one] of lines.entries())
    for (let next = index + 1; next < lines.length; next++) {
      const other = lines[next];
      if (!other || other.top > one.bottom) break;
      if (other.node !== one.node && !isEmpty(overlap(one, other)))
        problems.add(`overlap: ${short(one.text)} | ${short(other.text)}`);
    }
  for (const picture of document.querySelectorAll("svg")) {
    if (!picture.checkVisibility({ visibilityProperty: true })) continue;
    const { left, right, top, bottom } = picture.getBoundingClientRect();
    const box = shownPart({ left, right, top, bottom }, ancestorsOf(picture.parentElement ?? picture));
    for (const line of isEmpty(box) ? [] : lines)
      if (!isEmpty(overlap(box, line))) problems.add(`under a picture: ${short(line.text)}`);
  }
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) problems.add(`the page is ${scrollWidth - clientWidth} px too wide`);
  return [...problems];
}

/** What is wrong with the texts of the page at each width, with its closed parts closed and open. */
export async function problemsOfTexts(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const parts of ["closed", "open"]) {
    if (parts === "open") await openFolds(page);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      const problems = await page.evaluate(textProblems);
      found.push(...problems.slice(0, 10).map((problem) => `${width} px, ${parts}: ${problem}`));
    }
  }
  return found;
}
