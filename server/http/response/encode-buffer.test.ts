import { describe, expect, test } from 'bun:test'
import { withEncoded } from './encode-buffer'

const responseOf = (texts: readonly string[]) => withEncoded(texts, (bytes) => new Response(bytes))

describe('withBytes', () => {
  test.each([
    ['no texts', []],
    ['one text', ['{}']],
    ['texts of all widths, also empty ones', ['Île', '', '日本', '🙂', 'x']],
    ['more bytes than the first buffer', ['é'.repeat(100_000), 'x']],
    ['more bytes than the largest buffer', ['é'.repeat(5_000_000), 'x']],
  ])('%s', async (_, texts) => {
    expect(await responseOf(texts).text()).toBe(texts.join(''))
  })

  test('a response that was not sent yet does not change', async () => {
    const [one, other] = [responseOf(['aaa', 'b']), responseOf(['ccccc'])]
    expect([await one.text(), await other.text()]).toEqual(['aaab', 'ccccc'])
  })
})
