import { describe, expect, test } from 'bun:test'
import { markLongText, wholeJson } from './marked-json'

const render = (values: unknown, longTexts: readonly string[]) => wholeJson({ text: JSON.stringify(values), longTexts })

describe('JSON with long texts', () => {
  const short = ['a', '', '\\u00000\\u0000', '"\\u00000\\u0000"', '\\\\u00000\\\\u0000', '🎉']
  const long = ['🎉', 'x🎉', '"\\\n', '\\u00000\\u0000', 'é€'].map((part) => part.repeat(400_000 / part.length))

  test('is what JSON.stringify makes', () => {
    const longTexts: string[] = []
    const values = [...short, ...long, ...short, ...long.toReversed()]
    const marked = values.map((text) => markLongText(text, longTexts))
    expect(longTexts.length).toBe(2 * long.length)
    expect(render({ marked }, longTexts) === JSON.stringify({ marked: values })).toBe(true)
  })

  test('without long texts is unchanged', () => {
    const longTexts: string[] = []
    const marked = short.map((text) => markLongText(text, longTexts))
    expect([marked, longTexts]).toEqual([short, []])
    expect(render(marked, longTexts)).toBe(JSON.stringify(short))
  })
})
