/** The results of POST, PATCH, PUT and assert for several values. See docs/reference/values.md (Several values). */

import { describe, expect, test } from 'bun:test'
import { createRecord, expectRefusal, recordIdOf } from '../../support/fixtures/value-cases'
import { service } from './service'

/** Creates a record with these values. Returns functions that write to it. */
async function seeded(values: unknown) {
  const { request } = service()
  const path = `/v2/objects/everything/records/${recordIdOf(await createRecord(request, 'everything', values))}`
  return {
    path,
    write: (method: 'PATCH' | 'PUT', values: unknown) => request(method, path, { data: { values } }),
    read: async () => (await request('GET', path)).body.data.values,
  }
}

const titles = (values: readonly { option: { title: string } }[]) => values.map(({ option }) => option.title)
const addresses = (values: readonly { email_address: string }[]) => values.map(({ email_address }) => email_address)

describe('several values', () => {
  const CASES = [
    { method: 'POST', sent: ['Blue', 'Red'], becomes: ['Blue', 'Red'] },
    { method: 'POST', sent: ['Blue', 'Red', 'Blue'], becomes: ['Blue', 'Red'] },
    { method: 'PATCH', before: ['Red'], sent: ['Blue'], becomes: ['Blue', 'Red'] },
    { method: 'PATCH', before: ['Red'], sent: ['Blue', 'Green'], becomes: ['Blue', 'Green', 'Red'] },
    { method: 'PATCH', before: ['Red', 'Blue'], sent: ['Blue', 'Green'], becomes: ['Green', 'Red', 'Blue'] },
    { method: 'PATCH', before: ['Red', 'Blue'], sent: ['Blue', 'Red'], becomes: ['Red', 'Blue'] },
    { method: 'PATCH', before: ['Red'], sent: [], becomes: ['Red'] },
    { method: 'PUT', before: ['Red'], sent: ['Blue', 'Green'], becomes: ['Blue', 'Green'] },
    { method: 'PUT', before: ['Red', 'Blue'], sent: ['Blue', 'Red'], becomes: ['Blue', 'Red'] },
    { method: 'PUT', before: ['Red', 'Blue'], sent: ['Green', 'Blue', 'Green'], becomes: ['Green', 'Blue'] },
    { method: 'PUT', before: ['Red'], sent: [], becomes: [] },
  ] as const

  test.each(CASES)('$method $sent to $before makes $becomes', async ({ method, sent, becomes, ...rest }) => {
    const before = 'before' in rest ? rest.before : []
    const { write, read } = await seeded({ selects: method === 'POST' ? sent : before })
    if (method !== 'POST') {
      const answer = await write(method, { selects: sent })
      expect(titles(answer.body.data.values.selects)).toEqual([...becomes])
    }
    expect(titles((await read()).selects)).toEqual([...becomes])
  })

  test('values of other attributes do not change', async () => {
    const { write, read } = await seeded({ selects: ['Red'], text: 'x', references: [] })
    const before = await read()
    await write('PUT', { number: 1 })
    const after = await read()
    expect({ ...after, number: [] }).toEqual({ ...before, number: [] })
  })
})

describe('a value that the record has already', () => {
  const SAME = [
    { slug: 'emails', first: 'Same1@Relata.dev', again: 'SAME1@relata.DEV' },
    { slug: 'domains', first: 'same1.com', again: 'https://SAME1.com/x' },
    { slug: 'phones', first: '+12125551111', again: { original_phone_number: '(212) 555-1111', country_code: 'US' } },
    { slug: 'selects', first: 'Red', again: { option: 'Red' } },
    { slug: 'members', first: 'admin@relata.local', again: { workspace_member_email_address: 'ADMIN@relata.local' } },
    {
      slug: 'references',
      first: { target_object: 'people', email_addresses: ['ada@relata.dev'] },
      again: { target_object: 'person', email_addresses: ['ADA@relata.dev'] },
    },
  ] as const

  test.each(SAME)(
    '$slug: keeps its position and its active_from, with PATCH and with PUT',
    async ({ slug, first, again }) => {
      const { write, read, path } = await seeded({ [slug]: [first, again] })
      const before = (await read())[slug]
      expect(before).toHaveLength(1)
      for (const method of ['PATCH', 'PUT'] as const) {
        const { body } = await write(method, { [slug]: [again] })
        expect(body.data.values[slug]).toEqual(before)
      }
      const { body } = await service().request('GET', `${path}/attributes/${slug}/values?show_historic=true`)
      expect(body.data).toEqual(before)
      await service().request('DELETE', path)
    },
  )

  test('emails: new values come before it', async () => {
    const { write, read } = await seeded({ emails: ['first@relata.dev', 'second@relata.dev'] })
    const [, second] = (await read()).emails
    await write('PATCH', { emails: ['third@relata.dev', 'SECOND@relata.dev', 'fourth@relata.dev'] })
    const after = (await read()).emails
    expect(addresses(after)).toEqual(['third@relata.dev', 'fourth@relata.dev', 'first@relata.dev', 'second@relata.dev'])
    expect(after[3]).toEqual(second)
    expect(after[0].active_from > second.active_from).toBe(true)
  })
})

describe('PUT …/records?matching_attribute=', () => {
  const assert = (matching: string, values: unknown, more: object = {}) =>
    service().request('PUT', `/v2/objects/everything/records?matching_attribute=${matching}`, {
      data: { values, ...more },
    })

  test('200 creates, then updates: appends to the matching attribute and replaces the values of others', async () => {
    const created = await assert('emails', { emails: ['a1@relata.dev'], selects: ['Red'], text: 'one' })
    const id = recordIdOf(created)
    const updated = await assert('emails', {
      emails: ['b1@relata.dev', 'A1@relata.dev'],
      selects: ['Blue'],
      text: 'two',
    })
    expect(recordIdOf(updated)).toBe(id)
    const { values } = updated.body.data
    expect(addresses(values.emails)).toEqual(['b1@relata.dev', 'a1@relata.dev'])
    expect(titles(values.selects)).toEqual(['Blue'])
    expect(values.text[0].value).toBe('two')
  })

  test('200 by the id of the attribute; attributes that the request does not name stay', async () => {
    const { body } = await service().request('GET', '/v2/objects/everything/attributes/unique_text')
    const id = recordIdOf(await assert('unique_text', { unique_text: 'k', selects: ['Red'] }))
    const again = await assert(body.data.id.attribute_id, { unique_text: 'k' })
    expect(recordIdOf(again)).toBe(id)
    expect(titles(again.body.data.values.selects)).toEqual(['Red'])
  })

  test('200 uses values_on_create only when it creates', async () => {
    const more = { values_on_create: { text: 'new', number: 1 } }
    const created = await assert('unique_text', { unique_text: 'once', number: 2 }, more)
    expect(created.body.data.values).toMatchObject({ text: [{ value: 'new' }], number: [{ value: 2 }] })
    const updated = await assert('unique_text', { unique_text: 'once' }, { values_on_create: { text: 'newer' } })
    expect(updated.body.data.values.text[0].value).toBe('new')
  })

  test.each([
    { matching: 'nothing', code: 'value_not_found', says: ['matching_attribute slug/ID', '"nothing"'] },
    { matching: 'text', code: 'matching_attribute_definition_not_unique', says: ['not unique'] },
    { matching: 'select', code: 'matching_attribute_definition_not_unique', says: ['not unique'] },
    { matching: 'unique_timestamp', code: 'matching_attribute_definition_not_unique', says: [] },
    { matching: 'unique_text', code: 'missing_value', says: [] },
    { matching: '', code: 'missing_value', says: [] },
  ])('400 $code for $matching', async ({ matching, code, says }) => {
    expectRefusal(await assert(matching, { text: 'x' }), 400, code, says)
  })

  test('400 missing_value without matching_attribute', async () => {
    const answer = await service().request('PUT', '/v2/objects/everything/records', { data: { values: { text: 'x' } } })
    expectRefusal(answer, 400, 'missing_value', ['matching_attribute'])
  })

  test('400 when the values match two records', async () => {
    for (const address of ['left@relata.dev', 'right@relata.dev']) await assert('emails', { emails: [address] })
    const answer = await assert('emails', { emails: ['left@relata.dev', 'right@relata.dev'] })
    expectRefusal(answer, 400, 'multiple_match_results')
  })

  const MATCHES = [
    ['domains', ['match.com'], ['https://MATCH.com']],
    ['unique_number', 42, { value: 42 }],
    ['phones', ['+12125552222'], [{ original_phone_number: '212 555 2222', country_code: 'US' }]],
  ] as const
  test.each(MATCHES)('200 matches by %s in any form', async (slug, first, again) => {
    const id = recordIdOf(await assert(slug, { [slug]: first }))
    expect(recordIdOf(await assert(slug, { [slug]: again }))).toBe(id)
  })
})

describe('a value equal to the current one', () => {
  test('200 changes nothing, not even the version', async () => {
    const { request } = service()
    const values = { text: 'same', number: 1, select: 'Low', location: 'London, UK', phone: '+12125551234' }
    const { path, write } = await seeded(values)
    const before = await request('GET', path)
    for (const method of ['PATCH', 'PUT'] as const) {
      const after = await write(method, values)
      expect(after.body).toEqual(before.body)
      expect(after.headers.get('etag')).toBe(before.headers.get('etag') ?? '')
    }
  })
})
