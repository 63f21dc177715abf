/** How people write that there is no value. */

const BLANK = /^(?:|[-–—]+|n\/?a|#n\/a|null|nil|none|unknown|undefined|tbd|\?+)$/i

/** Whether a cell stands for nothing. Text and options are taken as they are, so ask this of other types only. */
export function isBlank(text: string): boolean {
  const trimmed = text.trim()
  // Most cells say something, and more than the longest of these words.
  return (trimmed.length <= LONGEST_WORD || MARKS.test(trimmed)) && BLANK.test(trimmed)
}

const LONGEST_WORD = 'undefined'.length
const MARKS = /^[-–—?]/
