/** The text on one line, without control characters and with at most `maxLength` characters; null when nothing is left. */
export function cleanLine(text: string | undefined, maxLength: number): string | null {
  const oneLine = (text ?? '').slice(0, 2 * maxLength).replace(/[\s\p{Cc}]+/gu, ' ')
  const clean = oneLine.trim().slice(0, maxLength).toWellFormed()
  return clean === '' ? null : clean
}
