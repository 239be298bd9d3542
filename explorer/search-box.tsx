import { useEffect, useRef, useState } from "preact/hooks";
import { links } from "./links";

export type Suggestion = { title: string; kind: string; href: string };

/** Finds the best matches of a text. */
export type Suggest = (text: string, signal: AbortSignal) => Promise<readonly Suggestion[]>;

const PAUSE_MS = 150;
const LIST_ID = "suggestions";

/** The suggestions for a text, once no key was pressed for a while. */
function useSuggestions(text: string, suggest: Suggest | undefined): readonly Suggestion[] {
  const [found, setFound] = useState<readonly Suggestion[]>([]);
  useEffect(() => {
    const wanted = text.trim();
    if (!suggest || wanted === "") {
      setFound([]);
      return undefined;
    }
    const ended = new AbortController();
    const timer = setTimeout(() => {
      suggest(wanted, ended.signal).then(
        (suggestions) => ended.signal.aborted || setFound(suggestions),
        // The form still works.
        (error: unknown) => ended.signal.aborted || console.warn(error),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [text, suggest]);
  return found;
}

/** Preact's types allow the role only beside a `<datalist>`. */
const combobox: object = { role: "combobox", "aria-autocomplete": "list" };

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

type Props = { query?: string | undefined; suggest?: Suggest | undefined };

/** The search of every page: a form, and with JavaScript suggestions while typing and the shortcut `/`. */
export function SearchBox({ query = "", suggest }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  // Hydration leaves attributes as they are, so the role is set by the first update after it.
  const [suggests, setSuggests] = useState(false);
  const [selected, setSelected] = useState(-1);
  const found = useSuggestions(text ?? "", suggest);

  useEffect(() => setSuggests(suggest !== undefined), [suggest]);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener("keydown", focus);
    return () => document.removeEventListener("keydown", focus);
  }, []);

  const shown = isOpen ? found : [];
  const current = shown[selected];
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") setOpen(false);
    if (event.key === "Enter" && current) {
      event.preventDefault();
      location.assign(current.href);
    }
    const steps = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (steps === 0 || shown.length === 0) return;
    event.preventDefault();
    setSelected((before) => (before + steps + shown.length) % shown.length);
  };
  return (
    <search class="site-search">
      <form action={links.search} method="get">
        <input
          ref={input}
          type="search"
          name="q"
          // Not `value`, with which hydration would remove what was typed before it.
          defaultValue={query}
          aria-label="Search by name, id, address or hash"
          placeholder="Search"
          maxLength={200}
          autocomplete="off"
          required
          {...(suggests && combobox)}
          {...(suggests && { "aria-expanded": shown.length > 0 })}
          {...(shown.length > 0 && { "aria-controls": LIST_ID })}
          {...(current && { "aria-activedescendant": `${LIST_ID}-${selected}` })}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            setOpen(true);
            setSelected(-1);
          }}
          onKeyDown={onKeyDown}
          onBlur={() => setTimeout(() => setOpen(false), PAUSE_MS)}
        />
        <span class="key" aria-hidden="true">
          /
        </span>
      </form>
      {shown.length > 0 && (
        <div class="suggestions" id={LIST_ID} role="listbox" aria-label="Suggestions">
          {shown.map(({ title, kind, href }, index) => (
            <a
              key={href}
              id={`${LIST_ID}-${index}`}
              role="option"
              href={href}
              tabIndex={-1}
              aria-selected={index === selected}
            >
              <span>
                <bdi>{title}</bdi>
              </span>
              <span>{kind}</span>
            </a>
          ))}
        </div>
      )}
    </search>
  );
}
