import { describe, expect, test } from 'bun:test'
import { measureJson } from './parse-body'

const bytes = (text: string) => new TextEncoder().encode(text)
const sizes = (text: string) => measureJson(bytes(text), { depth: 3, values: 10, members: 5 })

describe('measureJson', () => {
  const within: [what: string, text: string][] = [
    ['an empty text', ''],
    ['three levels', '{"a":[{"b":1}]}'],
    ['levels beside each other', '[[[]],[[]],[[]]]'],
    ['brackets in a text', '{"a":"[[[[{{{{"}'],
    ['brackets in a key', '{"[[[[{{{{":1}'],
    ['brackets behind an escaped quote', String.raw`{"a":"\"[[[[{{{{"}`],
    ['a text that ends in a backslash', String.raw`["\\",[["\\"]]]`],
    ['brackets behind letters of several bytes', '{"a":"é😀[[[["}'],
    ['commas in a text', `["${','.repeat(50)}"]`],
    ['five members, and colons in texts', '[{"a:":":::","b":1,"c":2},{"d":1,"e":2}]'],
    ['ten values', '[1,2,3,4,5,6,7,8,9]'],
    ['closing brackets only', ']]]]}}}}'],
    ['a text without an end', '["[[[['],
    ['a backslash at the end', '["\\'],
  ]
  test.each(within)('accepts %s', (_, text) => {
    expect(sizes(text)).toBe('within')
  })

  const beyond: [what: string, text: string, answer: string][] = [
    ['four levels', '{"a":[{"b":[]}]}', 'too deep'],
    ['four levels behind a text', String.raw`{"a\\":[[["b"`, 'too deep'],
    ['four levels behind an escaped quote', String.raw`{"\"":"]]]",":":[[[1]]]}`, 'too deep'],
    ['a deep beginning without reading the rest', '[[[['.padEnd(1000), 'too deep'],
    ['eleven values', '[1,2,3,4,5,6,7,8,9,0]', 'too many values'],
    ['values in several arrays', '[[1,2],[3,4],[5,6],[7,8]]', 'too many values'],
    ['six members', `{${Array.from({ length: 6 }, (_, index) => `"k${index}":1`).join(',')}}`, 'too many members'],
  ]
  test.each(beyond)('refuses %s', (_, text, answer) => {
    expect<string>(sizes(text)).toBe(answer)
  })

  test('agrees with the parsed value', () => {
    const texts = ['', '"', '\\', '[', '{', '"\\', '\\"', ']', ',', '😀']
    for (const text of texts) {
      for (const other of texts) {
        const deep = JSON.stringify([text, { [other]: [text, other] }])
        expect([deep, sizes(deep)]).toEqual([deep, 'within'])
        expect(sizes(`[${deep}]`)).toBe('too deep')
      }
    }
  })
})
