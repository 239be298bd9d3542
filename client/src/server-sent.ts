/** A message of a stream of Server-Sent Events. */
export type ServerSent = { type: string; id: string | undefined; data: string };

/** Reads Server-Sent Events as they come; what a lost connection left unfinished is nothing. */
export async function* serverSent(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let message: ServerSent = { type: "message", id: undefined, data: "" };
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const lines = text.split(/\r?\n/);
      text = lines.pop() ?? "";
      for (const line of lines) {
        const [, field, content = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
        if (line === "") {
          if (message.data !== "") yield message;
          message = { type: "message", id: undefined, data: "" };
        } else if (field === "event") message.type = content;
        else if (field === "id") message.id = content;
        else if (field === "data") message.data += message.data === "" ? content : `\n${content}`;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
