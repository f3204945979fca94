const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d]

/** Yields the lines of a text, without their ends. A reader that stops early does not read the rest of the text. */
export function* textLines(text: string): Generator<string> {
  for (let start = 0; ; ) {
    const end = endOfLine(text, start)
    yield text.slice(start, end)
    if (end === text.length) return
    start = end + (text.startsWith('\r\n', end) ? 2 : 1)
  }
}

// A regular expression would take three times as long.
function endOfLine(text: string, start: number): number {
  let end = start
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end)
    if (code === LINE_FEED || code === CARRIAGE_RETURN) break
  }
  return end
}
