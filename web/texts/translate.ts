/** Replaces the texts of a source by those of a language. A text without a translation stays English. */

import { findTexts, type Placeholder, type Text } from './find-texts'
import { keyOfText, type Messages } from './messages'

interface Replacement extends Text {
  readonly translation: string
}

/** `file` is its path in the repository, which messages of one file name. */
export function translateSource(file: string, code: string, messages: Messages): string {
  const replacements = findTexts(file, code).flatMap((text): Replacement[] => {
    const key = keyOfText(messages, file, text)
    const translation = key === undefined ? undefined : messages.get(key)
    return translation ? [{ ...text, translation }] : []
  })
  return replacements.length === 0 ? code : rewrite(code, replacements, 0, code.length)
}

/** A part of the source with its texts replaced, also those inside of placeholders. */
function rewrite(code: string, replacements: readonly Replacement[], start: number, end: number): string {
  let written = ''
  let position = start
  for (const replacement of replacements) {
    if (replacement.start < position || replacement.end > end) continue
    written += code.slice(position, replacement.start)
    const inner = replacements.filter((other) => other !== replacement)
    const { form, translation, placeholders } = replacement
    written += FORMS[form](code, replacement, (escape, wrap) =>
      partsOf(translation, placeholders)
        .map((part) => (typeof part === 'string' ? escape(part) : wrap(rewrite(code, inner, part.start, part.end))))
        .join(''),
    )
    position = replacement.end
  }
  return written + code.slice(position, end)
}

/** A translation as its texts and its placeholders. */
export function partsOf(translation: string, placeholders: readonly Placeholder[]): (string | Placeholder)[] {
  return translation.split(/(\{\w+\})/).map((part) => placeholders.find(({ name }) => part === `{${name}}`) ?? part)
}

type Fill = (escape: (text: string) => string, wrap: (source: string) => string) => string

const same = (source: string): string => source

const inMarkup = (text: string): string => text.replaceAll(/[&<>{}"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

const FORMS: Record<Text['form'], (code: string, place: Replacement, fill: Fill) => string> = {
  markup: (_code, _place, fill) => fill(inMarkup, same),
  attribute: (code, { start }, fill) => {
    const quote = /["']/.test(code.charAt(start - 1)) ? '' : '"'
    return quote + fill(inMarkup, same) + quote
  },
  quoted: (_code, _place, fill) =>
    `'${fill((text) => JSON.stringify(text).slice(1, -1).replaceAll('\\"', '\\u0022').replaceAll("'", '\\u0027'), same)}'`,
  template: (_code, _place, fill) =>
    `\`${fill(
      (text) => text.replaceAll(/[\\`$]/g, '\\$&'),
      (source) => `\${${source}}`,
    )}\``,
}
