import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createThingAttribute } from '#engine/query/testing/things'
import { testService, type TestService } from '#testing/service'
import { parseBody } from './parse-body'
import { parseInThread } from './read-body'

const bytesOf = (text: string) => new TextEncoder().encode(text)

describe('parseInThread', () => {
  const texts = [
    '{"b":[-0,1.5,1e300,true,null,"é€🎉"],"a":{"z":1,"y":2,"1":3},"":{}}',
    '{"__proto__":{"a":1},"constructor":{"prototype":{}},"a":1,"a":2}',
    `{"a":${'['.repeat(199)}${']'.repeat(199)}}`,
    `{"a":${'['.repeat(200)}${']'.repeat(200)}}`,
    '{"a":["x\\u0000"]}',
    '{"a":',
    '[1]',
    'null',
  ]
  test('returns what parseBody returns, in the order of the bodies', async () => {
    const answers = await Promise.all(texts.map((text) => parseInThread(bytesOf(text))))
    expect(answers.map((answer) => JSON.stringify(answer))).toEqual(
      texts.map((text) => JSON.stringify(parseBody(bytesOf(text)))),
    )
    expect(answers.map((answer) => 'object' in answer)).toEqual([true, true, true, false, false, false, false, false])
    expect(Object.is((answers[0] as { object: { b: unknown[] } }).object.b[0], -0)).toBe(true) // parsed above
    expect(Object.keys((answers[1] as { object: object }).object)).toEqual(['__proto__', 'constructor', 'a'])
  })

  test('leaves bytes beside those of the body as they are', async () => {
    const all = bytesOf('xx{"a":1}yy')
    expect(await parseInThread(all.subarray(2, 9))).toEqual({ object: { a: 1 } })
    expect(new TextDecoder().decode(all)).toBe('xx{"a":1}yy')
  })

  test('400 for bytes that are not UTF-8', async () => {
    expect(await parseInThread(new Uint8Array([0x7b, 0xff, 0x7d]))).toMatchObject({ issue: { path: [] } })
  })
})

describe('a body of several megabytes', () => {
  let service: TestService
  beforeAll(async () => {
    service = await testService()
    await createThingAttribute(service.request, 'people', { api_slug: 'about', type: 'text' })
  })
  afterAll(() => service.close())

  const LONG = 'line\n€ "x" \\ '.repeat(200_000)
  const create = (json: string, headers = {}) =>
    service.request('POST', '/v2/objects/people/records', `{"data":{"values":{"about":${json}}}}`, { headers })

  test('200 with its text, also with an Idempotency-Key', async () => {
    for (const headers of [{}, { 'Idempotency-Key': 'large' }, { 'Idempotency-Key': 'large' }]) {
      const { status, body } = await create(JSON.stringify(LONG), headers)
      expect([status, body.data.values.about[0].value === LONG]).toEqual([200, true])
    }
  })

  test.each([
    ['an incomplete text', (json: string) => json.slice(0, -1), []],
    ['NUL', (json: string) => `${json.slice(0, -1)}\\u0000"`, ['data', 'values', 'about']],
    ['half of a surrogate pair', (json: string) => `${json.slice(0, -1)}\\ud800"`, ['data', 'values', 'about']],
  ])('400 for %s', async (_, change, path) => {
    const { status, body } = await create(change(JSON.stringify(LONG)))
    expect([status, body.code, body.validation_errors[0].path]).toEqual([400, 'validation_type', path])
  })
})
