/** A text without the run of one character at its end. A pattern would look for the end of every such run in the text. */
export function trimEnd(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}
