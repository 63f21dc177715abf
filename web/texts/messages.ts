/** The messages of a language: `web/messages/<language>.po`, in the format of gettext. */

import { join } from 'node:path'
import PO from 'pofile'
import type { Text } from './find-texts'

/** Separates the context from the text in the key of a message, as in compiled files of gettext. */
const SEPARATOR = '\u0004'

/** Translations by text, and by file and text for a text that means something else in one file. */
export type Messages = ReadonlyMap<string, string>

export const messagesFile = (language: string): string => join(import.meta.dirname, `../messages/${language}.po`)

export const keyOf = (message: string, context?: string | null): string =>
  context ? context + SEPARATOR + message : message

/** The text of a key. */
export const messageOf = (key: string): string => key.slice(key.indexOf(SEPARATOR) + 1)

/** The key of a text in a file. Undefined for a literal that is no text. */
export function keyOfText(messages: Messages, file: string, { message, isSure }: Text): string | undefined {
  const own = keyOf(message, file)
  if (messages.has(own)) return own
  return isSure ? message : undefined
}

export function parseMessages(text: string): Map<string, string> {
  // The library would add the marks of a merge to the messages beside them.
  if (/^(?:<{7} |={7}$|>{7} )/m.test(text)) throw new Error('The message file has conflicts of a merge.')
  const items = PO.parse(text).items.filter(({ obsolete }) => !obsolete)
  return new Map(items.map(({ msgid, msgctxt, msgstr }) => [keyOf(msgid, msgctxt), msgstr[0] ?? '']))
}

/** The file of the messages, ordered by text and context, so that changes of different texts do not conflict. */
export function renderMessages(language: string, messages: Messages): string {
  const file = new PO()
  file.headers = { Language: language, 'Content-Type': 'text/plain; charset=utf-8' }
  file.items = [...messages]
    .map(([key, translation]) => {
      const item = new PO.Item()
      const [first = '', second] = key.split(SEPARATOR)
      item.msgid = second ?? first
      if (second !== undefined) item.msgctxt = first
      item.msgstr = [translation]
      return item
    })
    .sort((a, b) => order(a.msgid, b.msgid) || order(a.msgctxt ?? '', b.msgctxt ?? ''))
  return `${file.toString()}\n`
}

const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
