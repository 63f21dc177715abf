/** How people write that there is no value. */

const BLANK = /^(?:|[-–—]+|n\/?a|#n\/a|null|nil|none|unknown|undefined|tbd|\?+)$/i

/** Whether a cell stands for nothing. Text and options are taken as they are, so ask this of other types only. */
export function isBlank(text: string): boolean {
  const trimmed = text.trim()
  const first = trimmed[0]
  return first === undefined || (FIRST.has(first) && BLANK.test(trimmed))
}

/** What any of them begins with. Most cells do not. */
const FIRST = new Set('-–—?#nNuUtT')
