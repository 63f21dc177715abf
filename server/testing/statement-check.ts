/** Checks each text of a statement once. */

import { findStatementFault } from './find-statement-fault'

/** The texts of other workspaces and other parameters are equal except for digits. */
const DIGITS = /\d+/g
const MAX_TEXTS = 5000
/** JavaScript's engine counts the parser's memory and so lets as much garbage arise. */
const CHECKS_PER_COLLECTION = 500

export function createStatementCheck(report: (fault: string) => void): (text: string) => void {
  const texts = new Set<string>()
  const shapes = new Set<string>()
  return (text) => {
    if (texts.has(text)) return
    if (texts.size >= MAX_TEXTS) texts.clear()
    texts.add(text)
    const shape = text.replace(DIGITS, '0')
    if (shapes.has(shape)) return
    shapes.add(shape)
    if (shapes.size % CHECKS_PER_COLLECTION === 0) Bun.gc(false)
    const fault = findStatementFault(text)
    if (fault !== undefined) report(`${fault}\n${text}`)
  }
}
