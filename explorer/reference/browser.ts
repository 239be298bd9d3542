/** Sends the requests of the reference page, and copies its examples. The page itself needs no script. */

/** The parts of a response that the page shows. */
const MAX_CHARACTERS = 100_000;

/** An event stream does not end by itself. */
const STREAM_MS = 3_000;

const COPIED_MS = 1_500;

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** The request of a form. Empty fields are not sent. */
function requestOf(form: HTMLFormElement): { url: string; init: RequestInit } {
  const { method = "GET", path = "/" } = form.dataset;
  const fields = [...form.querySelectorAll<Field>("[data-place]")].filter(({ value }) => value !== "");
  const inPlace = (place: string) => fields.filter(({ dataset }) => dataset.place === place);
  let url = path;
  for (const { name, value } of inPlace("path")) url = url.replace(`{${name}}`, encodeURIComponent(value));
  const query = new URLSearchParams(inPlace("query").map(({ name, value }) => [name, value])).toString();
  const [body] = inPlace("body");
  return {
    url: query === "" ? url : `${url}?${query}`,
    init: body ? { method, headers: { "content-type": "application/json" }, body: body.value } : { method },
  };
}

/** Sets the fields whose example differs between chains, unless the user has changed them. */
async function fillFromSource(form: HTMLFormElement): Promise<void> {
  for (const field of form.querySelectorAll<HTMLInputElement>("[data-source]")) {
    const { source = "", key } = field.dataset;
    if (field.value !== field.defaultValue) continue;
    const text = await (await fetch(source)).text();
    const found = new RegExp(`"${key}":"([^"]+)"`).exec(text)?.[1];
    if (found !== undefined) field.value = found;
    delete field.dataset.source;
  }
}

/** Shows the text of a response as it arrives. JSON is indented at its end. */
async function showBody(response: Response, element: HTMLTextAreaElement): Promise<number> {
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let text = "";
  let bytes = 0;
  try {
    for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
      bytes += part.value.length;
      text += decoder.decode(part.value, { stream: true });
      if (!isJson) element.value = text.slice(0, MAX_CHARACTERS);
    }
  } catch (error) {
    // The end of a stream's time.
    if (!(error instanceof DOMException && error.name === "AbortError")) throw error;
  }
  const shown = isJson ? JSON.stringify(JSON.parse(text), null, 2) : text;
  element.value = shown.length > MAX_CHARACTERS ? `${shown.slice(0, MAX_CHARACTERS)}…` : shown;
  return bytes;
}

async function send(form: HTMLFormElement): Promise<void> {
  const [button, output, shown] = ["[type=submit]", "output", ".response"].map((name) => form.querySelector(name));
  if (!(button instanceof HTMLButtonElement && output instanceof HTMLElement && shown instanceof HTMLTextAreaElement))
    return;
  button.disabled = true;
  output.textContent = "Sending…";
  output.className = "";
  try {
    await fillFromSource(form);
    const { url, init } = requestOf(form);
    const started = performance.now();
    const stream = new AbortController();
    const response = await fetch(url, { ...init, signal: stream.signal });
    const milliseconds = Math.round(performance.now() - started);
    if (response.headers.get("content-type")?.startsWith("text/event-stream"))
      setTimeout(() => stream.abort(), STREAM_MS);
    output.className = response.ok || response.status === 402 ? "good" : "bad";
    output.textContent = `${response.status} ${response.statusText} · ${milliseconds} ms`;
    shown.hidden = false;
    shown.value = "";
    const bytes = await showBody(response, shown);
    output.textContent += ` · ${bytes.toLocaleString("en")} bytes · ${url}`;
  } catch (error) {
    output.className = "bad";
    output.textContent = error instanceof Error ? error.message : String(error);
  } finally {
    button.disabled = false;
    button.focus();
  }
}

/** Opens the operation or type that the address names. */
function openTarget(): void {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!(target instanceof HTMLDetailsElement)) return;
  target.open = true;
  target.scrollIntoView();
}

async function copy(button: HTMLElement): Promise<void> {
  const text = button.closest("figure")?.querySelector("pre")?.textContent ?? "";
  await navigator.clipboard.writeText(text);
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = "Copy";
  }, COPIED_MS);
}

document.documentElement.classList.add("scripted");
document.addEventListener("submit", (event) => {
  if (!(event.target instanceof HTMLFormElement) || event.target.dataset.path === undefined) return;
  event.preventDefault();
  void send(event.target);
});
document.addEventListener("click", (event) => {
  if (event.target instanceof HTMLElement && "copy" in event.target.dataset) void copy(event.target);
});
addEventListener("hashchange", openTarget);
openTarget();
