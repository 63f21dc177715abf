/** A history of long texts is read and sent in parts. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { createThingAttribute, createThing } from '#engine/query/testing/things'
import { useTestService } from '#testing/use-service'

const COUNT = 9
/** Of several sizes, compressible and not. */
const textOf = (n: number) =>
  n % 3 === 0
    ? `${n} "quoted"\nline 🎉 \\u00000\\u0000 `.repeat(60_000)
    : n % 3 === 1
      ? `short ${n}`
      : Array.from({ length: 20_000 }, (_, index) => Bun.hash(`${n} ${index}`).toString(36)).join(' ')

const service = useTestService()
let path: string
beforeAll(async () => {
  await createThingAttribute(service.request, 'people', { api_slug: 'about', type: 'text' })
  const id = await createThing(service.request, 'people', { about: textOf(0) })
  for (let n = 1; n < COUNT; n++)
    await service.request('PATCH', `/v2/objects/people/records/${id}`, { data: { values: { about: textOf(n) } } })
  path = `/v2/objects/people/records/${id}/attributes/about/values`
})

const textsOf = async (parameters: string) => {
  const { status, body } = await service.request('GET', `${path}?${parameters}`)
  expect(status).toBe(200)
  return body.data.map(({ value }: { value: string }) => value)
}
const expected = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => textOf(from + index))

describe('GET …/values', () => {
  test.each([
    ['show_historic=true', 0, COUNT],
    ['show_historic=true&limit=4&offset=3', 3, 7],
    ['show_historic=true&limit=1', 0, 1],
    ['show_historic=true&offset=7', 7, COUNT],
    ['show_historic=true&offset=50', COUNT, COUNT],
    ['', COUNT - 1, COUNT],
  ])('200 with the values of %j, the oldest first', async (parameters, from, to) => {
    const texts = await textsOf(parameters)
    expect([texts.length, Bun.deepEquals(texts, expected(from, to))]).toEqual([to - from, true])
  })
})
