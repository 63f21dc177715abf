import { describe, expect, test } from 'bun:test'
import { openByteWriter } from '../../text/byte-writer'
import { createAnswers, JsonText } from './answer'
import { withEncoded } from './encode-buffer'

const responseOf = (texts: readonly string[]) => withEncoded(texts, (bytes) => new Response(bytes))

describe('withEncoded', () => {
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

describe('a body in a writer', () => {
  const answers = createAnswers('acme')
  const answer = (text: string, headers: Record<string, string> = {}) => {
    const writer = openByteWriter()
    writer.text(text)
    return answers.json(new Request('http://localhost/v2/x', { headers }), 'id', new JsonText(writer))
  }

  test('a response that was not sent yet does not change when its memory is used again', async () => {
    const [one, other] = [await answer('{"é":1}'), await answer('{"data":"other"}')]
    expect([await one.text(), await other.text()]).toEqual(['{"é":1}', '{"data":"other"}'])
  })

  test('a compressed response has the same text', async () => {
    const text = JSON.stringify({ data: 'é"😀'.repeat(50_000) })
    const response = await answer(text, { 'Accept-Encoding': 'gzip' })
    expect(response.headers.get('Content-Encoding')).toBe('gzip')
    expect(Buffer.from(Bun.gunzipSync(await response.bytes())).toString()).toBe(text)
  })

  test('grows with texts of any length', () => {
    const writer = openByteWriter()
    const texts = ['a', 'é'.repeat(1024), '😀'.repeat(100_000), 'x'.repeat(5_000_000)]
    for (const text of texts) writer.text(text)
    expect(Buffer.from(writer.written()).equals(Buffer.from(texts.join('')))).toBe(true)
  })
})
