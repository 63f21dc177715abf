/** Whether the message files have every text of the console, and each translation the placeholders of its text. */

import type { Text } from './find-texts'
import { keyOfText, type Messages, messageOf } from './messages'

type Texts = ReadonlyMap<string, readonly Text[]>

/** Texts of `web/index.html`, which has no script to read. */
const PAGE_TEXTS = ['The console needs JavaScript.']

/** The messages of the texts: those that have a translation keep it, and the others are empty. */
export function updateMessages(texts: Texts, messages: Messages): Map<string, string> {
  const updated = new Map(PAGE_TEXTS.map((text) => [text, messages.get(text) ?? '']))
  for (const [file, found] of texts) {
    for (const text of found) {
      const key = keyOfText(messages, file, text)
      if (key !== undefined) updated.set(key, messages.get(key) ?? '')
    }
  }
  return updated
}

/** A line for each message that is missing, not translated, of no text any more, or has other placeholders than its text. */
export function checkMessages(texts: Texts, messages: Messages): string[] {
  const expected = updateMessages(texts, messages)
  const places = placesOf(texts)
  const named = (key: string) => `${JSON.stringify(messageOf(key))} (${places.get(messageOf(key)) ?? 'web/index.html'})`
  return [
    ...[...messages.keys()].filter((key) => !expected.has(key)).map((key) => `No such text: ${JSON.stringify(key)}`),
    ...[...expected].flatMap(([key, translation]) => {
      if (translation === '') return [`Not translated: ${named(key)}`]
      const differs = placeholdersIn(translation).join() !== placeholdersIn(messageOf(key)).join()
      return differs ? [`Other placeholders: ${named(key)}`] : []
    }),
  ]
}

const placeholdersIn = (message: string): string[] => [...new Set(message.match(/\{\w+\}/g))].sort()

function placesOf(texts: Texts): Map<string, string> {
  return new Map([...texts].flatMap(([file, found]) => found.map(({ message }) => [message, file] as const)))
}
