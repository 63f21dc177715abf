/** How people write that there is no value. */

const BLANK = /^(?:|[-–—]+|n\/?a|#n\/a|null|nil|none|unknown|undefined|tbd|\?+)$/i

/** Whether a cell stands for nothing. Text and options are taken as they are, so ask this of other types only. */
export const isBlank = (text: string): boolean => BLANK.test(text.trim())
