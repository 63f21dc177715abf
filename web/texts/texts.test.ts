import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LANGUAGES } from '#vocabulary/languages'
import { SERVICE_TEXTS } from '../src/api/service-texts'
import { checkMessages } from './check'
import { findTexts } from './find-texts'
import { messagesFile, parseMessages, renderMessages } from './messages'
import { readTexts } from './sources'
import { translateSource } from './translate'

const textsOf = (code: string, file = 'a.svelte') =>
  findTexts(file, code)
    .filter(({ isSure }) => isSure)
    .map(({ message }) => message)

describe('the texts of a source', () => {
  test.each([
    ['<h1>New\n  record</h1>', ['New record']],
    ['<p>Hello <b>{name}</b>, welcome.</p>', ['Hello {b}, welcome.']],
    ['<button><Plus /> New record</button>', ['New record']],
    ['<p>{numberText(count)} of {total.length} left</p>', ['{count} of {total} left']],
    ['<Field label="First name" class="wide field" />', ['First name']],
    ['<Field label="Delete “{title}”?" />', ['Delete “{title}”?']],
    ['<Field label={isNew ? "New key" : "Edit key"} type={isNew ? "Text" : "Number"} />', ['New key', 'Edit key']],
    ['<p>Run <code>bun start</code></p>', ['Run {code}']],
    ['{#if isOpen}Open it{:else}{name}{/if}', ['Open it']],
  ])('in markup: %s', (code, texts) => {
    expect(textsOf(code)).toEqual(texts)
  })

  test.each([
    ["const title = 'Delete this?'", ['Delete this?']],
    ['toasts.show(`${name} deleted`)', ['{name} deleted']],
    [
      'show(`${count} ${count === 1 ? "row was" : "rows were"} added`)',
      ['{count} {value} added', 'row was', 'rows were'],
    ],
    ["if (event.key === 'Escape' || kind === 'Not found') close()", []],
    ["type Kind = 'Small one'; switch (kind) { case 'Large one': }", []],
    ["import x from 'A module'; localStorage.getItem('Last one')", []],
    ["const names = { 'A key': 'A value' }", ['A value']],
    ["fetch(`/objects/${slug}`); style = 'minmax(0, 1fr)'; keys = ['Shift F2']", []],
    ["class A { text = 'In a class'; run() { throw new Error('In an error') } }", ['In a class', 'In an error']],
  ])('in a module: %s', (code, texts) => {
    expect(textsOf(code, 'a.ts')).toEqual(texts)
  })
})

describe('a source in another language', () => {
  const translate = (code: string, messages: Record<string, string>, file = 'a.svelte') =>
    translateSource(file, code, new Map(Object.entries(messages)))

  test('has placeholders in the order of the translation, and what they contain translated', () => {
    const code = '<p>Hello <b title="First name">{name}</b>, {day}!</p>'
    const messages = { 'Hello {b}, {day}!': '{day}: {b}, hallo!', 'First name': 'Vorname' }
    expect(translate(code, messages)).toBe('<p>{day}: <b title="Vorname">{name}</b>, hallo!</p>')
  })

  test('escapes what its place reserves', () => {
    const text = `a "b" 'c' {d} <e> \`f\` \${g} \\h`
    const inMarkup = "a &#34;b&#34; 'c' &#123;d&#125; &#60;e&#62; `f` $&#123;g&#125; \\h"
    expect(translate('<p title="One text">Two texts</p>', { 'One text': text, 'Two texts': text })).toBe(
      `<p title="${inMarkup}">${inMarkup}</p>`,
    )
    const module = translate(
      "export default ['One text', `Two ${1} texts`]",
      { 'One text': text, 'Two {value} texts': text },
      'a.ts',
    )
    // oxlint-disable-next-line no-eval -- reads the literals that were written
    expect(eval(module.replace('export default', ''))).toEqual([text, text])
  })

  test('leaves a text without a translation, and takes the one of its file', () => {
    const messages = {
      'Open it': 'Öffnen',
      'b.ts\u0004Open it': 'Offen',
      'b.ts\u0004record': 'Datensatz',
      'Not yet': '',
    }
    expect(translate("f('Open it', 'record', 'Not yet')", messages, 'a.ts')).toBe("f('Öffnen', 'record', 'Not yet')")
    expect(translate("f('Open it', 'record', 'Not yet')", messages, 'b.ts')).toBe("f('Offen', 'Datensatz', 'Not yet')")
  })
})

const texts = await readTexts()

// `bun run web:texts` adds messages of new texts and lists what is to translate.
test.each(LANGUAGES.filter((language) => language !== 'en'))(
  'all texts of the console have a message in %s',
  async (language) => {
    const file = await Bun.file(messagesFile(language)).text()
    const messages = parseMessages(file)
    expect(checkMessages(texts, messages)).toEqual([])
    expect(renderMessages(language, messages)).toBe(file)
  },
)

test('the service has the messages that the console translates', () => {
  const errors = readFileSync(join(import.meta.dir, '../../server/base/errors/access.ts'), 'utf8')
  expect(SERVICE_TEXTS.filter((text) => !errors.includes(text))).toEqual([])
})
