// Starts the page: decodes the tape, and shows it.

import { render } from "preact";
import { App } from "./app";
import { decode } from "./page_data";
import { Tape } from "./tape";

async function start(): Promise<void> {
  const root = document.getElementById("viewer")!;
  try {
    const { header, kinds, names, columns } = await decode(document.getElementById("tape")!.textContent ?? "");
    root.replaceChildren();
    render(<App tape={new Tape(header, kinds, names, columns)} />, root);
  } catch (error) {
    root.textContent = `This page cannot be shown: ${error}. It needs a browser with DecompressionStream, such as Firefox 113, Chrome 80 or Safari 16.4.`;
    throw error;
  }
}

void start();
