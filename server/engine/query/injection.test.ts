/** Text in a query never becomes SQL: no quote, comment or placeholder. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'
import { createThing, createThings } from './testing/things'

const TEXTS = [
  `'`,
  `''`,
  `"`,
  `\\`,
  `\\'`,
  `'; drop table relata.workspaces; --`,
  `' or '1'='1`,
  `" or 1=1 --`,
  `x') or (1=1`,
  `/* */`,
  `$1`,
  `$99::text`,
  `{a,b}`,
  `{"a`,
  `NULL`,
  `%_`,
  `:name ?`,
  `a\nb\tc`,
  `E'\\x41'`,
  `\u202e\u0001`,
  `';select pg_sleep(9)--`,
]

const service = useTestService()
const ids = new Map<string, string>()
beforeAll(async () => {
  await createThings(service.request)
  for (const text of TEXTS) ids.set(await createThing(service.request, 'things', { name: text, code: text }), text)
})

const query = (body: unknown) => service.request('POST', '/v2/objects/things/records/query', body)

async function found(filter: unknown): Promise<(string | undefined)[]> {
  const { body } = await query({ filter })
  return body.data.map((record: { id: { record_id: string } }) => ids.get(record.id.record_id))
}

describe('POST /v2/objects/{object}/records/query', () => {
  test.each(TEXTS)('200 with the record of this name: %j', async (text) => {
    expect(await found({ name: text })).toEqual([text])
    expect(await found({ name: { $in: [text, 'nothing'] } })).toEqual([text])
    expect(await found({ code: text })).toEqual([text])
    expect(await found({ code: { $in: [text, 'nothing'] } })).toEqual([text])
    const containing = (test: (name: string) => boolean) => TEXTS.filter((name) => test(name.toLowerCase()))
    const part = text.toLowerCase()
    expect(await found({ name: { $contains: text } })).toEqual(containing((name) => name.includes(part)))
    expect(await found({ name: { $starts_with: text } })).toEqual(containing((name) => name.startsWith(part)))
    expect(await found({ name: { $ends_with: text } })).toEqual(containing((name) => name.endsWith(part)))
    expect(await found({ sites: { $in: [text] } })).toEqual([])
    expect(await found({ phones: { country_code: text } })).toEqual([])
    expect(await found({ record_id: { $in: [text] } })).toEqual([])
    expect(await found({ record_id: { $contains: text } })).toEqual([])
  })

  test.each(TEXTS)('400 in place of a slug or a typed operand: %j', async (text) => {
    const asc = { direction: 'asc' }
    const bodies = [
      { filter: { [text]: 'x' } },
      { filter: { name: { [text]: 'x' } } },
      { filter: { name: { value: { [text]: 'x' } } } },
      { filter: { name: { [`$${text}`]: 'x' } } },
      { filter: { moment: text } },
      { filter: { day: { $gt: text } } },
      { filter: { price: text } },
      { filter: { parent: text } },
      { filter: { parent: { target_object: text } } },
      { filter: { color: text } },
      { filter: { path: [[text, 'name']], constraints: 'x' } },
      { filter: { path: [['things', text]], constraints: 'x' } },
      {
        filter: {
          path: [
            ['things', 'parent'],
            [text, 'name'],
          ],
          constraints: 'x',
        },
      },
      { sorts: [{ ...asc, attribute: text }] },
      { sorts: [{ ...asc, attribute: 'name', field: text }] },
      { sorts: [{ ...asc, path: [['things', text]] }] },
      { sorts: [{ direction: text, attribute: 'name' }] },
      { fields: [text] },
      { cursor: text },
      { limit: text },
      { filter_view_id: text },
    ]
    const statuses = await Promise.all(bodies.map(async (body) => (await query(body)).status))
    expect(statuses).toEqual(bodies.map(() => 400))
  })

  test('200 after that, with all records', async () => {
    expect((await query({})).body.data).toHaveLength(TEXTS.length)
  })
})
