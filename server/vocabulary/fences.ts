/** Finds fenced code in lines of markdown, which notes keep as literal text. A fence that is never closed is text. */

export interface FencedLines {
  /** The indices of the opening and of the closing fence. */
  readonly first: number
  readonly last: number
}

/** A line that begins with a fence. */
interface FenceLine {
  readonly index: number
  readonly fence: string
  /** Whether it can close another fence: nothing follows it. */
  readonly isBare: boolean
  readonly isIndented: boolean
}

/**
 * The fenced code in lines of markdown, in order. The code loses the indent of its opening fence, so lines that are to be written as
 * they are begin none with an indented fence: `opensIndented` is false for them. No fenced code contains an undefined line.
 */
export function findFences(
  lines: readonly (string | undefined)[],
  { opensIndented = true }: { readonly opensIndented?: boolean } = {},
): FencedLines[] {
  const found: FencedLines[] = []
  let fences: FenceLine[] = []
  for (const [index, line] of lines.entries()) {
    if (line === undefined) {
      if (fences.length > 0) found.push(...pairFences(fences, opensIndented))
      fences = []
    } else if (mayHaveFence(line)) {
      const text = trimSpaces(line)
      const fence = fenceOf(text)
      if (fence !== undefined)
        fences.push({ index, fence, isBare: text === fence, isIndented: !line.startsWith(fence) })
    }
  }
  return [...found, ...pairFences(fences, opensIndented)]
}

const mayHaveFence = (line: string): boolean => line.length > 2 && (line.includes('```') || line.includes('~~~'))

function pairFences(fences: readonly FenceLine[], opensIndented: boolean): FencedLines[] {
  const found: FencedLines[] = []
  /** The shortest fence of each kind that nothing closes. Nothing closes longer ones behind it either. */
  const unclosed = new Map<string, number>()
  for (let at = 0; at < fences.length; at++) {
    const opening = fences[at]
    if (!opening || opening.fence.length >= (unclosed.get(opening.fence.charAt(0)) ?? Infinity)) continue
    if (opening.isIndented && !opensIndented) continue
    const closing = findClosing(fences, at)
    const last = fences[closing]
    if (!last) unclosed.set(opening.fence.charAt(0), opening.fence.length)
    else {
      found.push({ first: opening.index, last: last.index })
      at = closing
    }
  }
  return found
}

/** A fence is closed by one that is as long or longer. */
function findClosing(fences: readonly FenceLine[], opening: number): number {
  const { fence } = fences[opening] ?? { fence: '' }
  for (let at = opening + 1; at < fences.length; at++) {
    const each = fences[at]
    if (each?.isBare && each.fence.length >= fence.length && each.fence.charAt(0) === fence.charAt(0)) return at
  }
  return fences.length
}

const FENCE_PATTERN = /^(`{3,}|~{3,})/

/** The fence that a line begins with: three or more backticks or tildes. */
export function fenceOf(text: string): string | undefined {
  const fence = FENCE_PATTERN.exec(text)?.[1]
  // In a line with other backticks, the first ones begin a code span.
  return fence?.startsWith('`') && text.includes('`', fence.length) ? undefined : fence
}

export const isSpace = (code: number): boolean => code === 0x20 || code === 0x09

/** Without spaces and tabs at its ends. Other white space is part of a text. */
export function trimSpaces(text: string): string {
  let begin = 0
  let end = text.length
  while (begin < end && isSpace(text.charCodeAt(begin))) begin++
  while (end > begin && isSpace(text.charCodeAt(end - 1))) end--
  return text.slice(begin, end)
}
