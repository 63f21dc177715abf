/**
 * Several values in one cell. Semicolons, bars and line breaks separate; where there are none, commas do. Titles that are
 * known keep their commas: `Research, Development and Testing` is one option if there is such an option.
 */

/** The parts, trimmed, each once whatever its capitals. */
export function splitList(text: string, isKnown: (title: string) => boolean = () => false): string[] {
  const whole = text.trim()
  if (whole === '') return []
  const parts = isKnown(whole) ? [whole] : separate(whole, isKnown)
  const seen = new Set<string>()
  return parts.filter((part) => {
    const key = part.toLowerCase()
    return !seen.has(key) && seen.add(key)
  })
}

function separate(text: string, isKnown: (title: string) => boolean): string[] {
  if (/[;|\n]/.test(text)) return trimmed(text.split(/[;|\n]/))
  return joinKnown(text.split(','), isKnown)
}

/** Takes the longest run of pieces that is a known title, else the next piece alone. */
function joinKnown(pieces: readonly string[], isKnown: (title: string) => boolean): string[] {
  const joined: string[] = []
  for (let start = 0; start < pieces.length;) {
    let end = pieces.length
    while (end > start + 1 && !isKnown(pieces.slice(start, end).join(',').trim())) end--
    joined.push(pieces.slice(start, end).join(','))
    start = end
  }
  return trimmed(joined)
}

const trimmed = (parts: readonly string[]): string[] => parts.map((part) => part.trim()).filter((part) => part !== '')
