/** Writes a document of the editor as the markdown of notes, one line for each block. */

import type { Node } from 'prosemirror-model'
import { isRule, ListLevels } from '../list-levels'
import { schema } from '../schema'
import { countSpecials, writeLine } from './write-line'

const { heading, item } = schema.nodes

/** The service reads the lines behind so many special characters as literal text. */
const MAX_SPECIALS = 50_000

export function writeMarkdown(doc: Node): string {
  const levels = new ListLevels()
  const lines: string[] = []
  let specials = 0
  doc.forEach((block) => {
    const line = writeBlock(block, levels)
    specials += countSpecials(line) + 1
    lines.push(specials > MAX_SPECIALS ? block.textContent : line)
  })
  return lines.join('\n')
}

function writeBlock(block: Node, levels: ListLevels): string {
  const text = writeLine(block)
  const place = levels.next(block)
  if (block.type === heading) return withText('#'.repeat(block.attrs.level), text.replace(CLOSING_PATTERN, '\\$&'))
  if (block.type === item) return ' '.repeat(place.column) + withText(place.marker, text)
  return protectStart(text)
}

const withText = (marker: string, text: string): string =>
  text === '' ? marker : `${marker} ${isRule(`${marker} ${text}`) ? '\\' : ''}${text}`

/** Number signs at the end of a heading would not be part of its text. */
const CLOSING_PATTERN = /(?<![#\\])#+$/

const START_PATTERN = /^(?:[-+#]|```|~~~)/
const NUMBER_PATTERN = /^\d{1,9}(?=[.)])/

/** A paragraph must not begin as a heading, an item or code does. */
function protectStart(text: string): string {
  if (isRule(text)) return text
  if (START_PATTERN.test(text)) return `\\${text}`
  const [number] = NUMBER_PATTERN.exec(text) ?? ['']
  return number === '' ? text : `${number}\\${text.slice(number.length)}`
}
