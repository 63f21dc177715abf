/** The Vite plugin that builds the console in a language other than English. */

import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Plugin } from 'vite'
import { messagesFile, parseMessages } from './messages'
import { isSourceOfTexts } from './sources'
import { translateSource } from './translate'

const ROOT = join(import.meta.dirname, '../..')

export function translatedTo(language: string): Plugin {
  const messages = parseMessages(readFileSync(messagesFile(language), 'utf8'))
  return {
    name: 'translated-texts',
    enforce: 'pre',
    transform(code, id) {
      const file = relative(ROOT, id).replaceAll('\\', '/')
      return isSourceOfTexts(file) ? { code: translateSource(file, code, messages), map: null } : undefined
    },
    transformIndexHtml: (html) =>
      html
        .replace('<html lang="en">', `<html lang="${language}">`)
        .replace(/(?<=<noscript>).*(?=<\/noscript>)/, (text) => messages.get(text) || text),
  }
}
