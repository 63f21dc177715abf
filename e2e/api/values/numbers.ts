/** Text, number, rating, checkbox and currency. See docs/reference/values.md. */

import { describe, expect, test } from 'bun:test'
import { accepts, createRecord, ownMembers, recordIdOf, refuses } from '../../support/fixtures/value-cases'
import { service } from './service'

const at = (attribute: string, object?: string) => () => service().place(attribute, object)

const value = (value: unknown) => [{ value }]
const euros = (currency_value: number) => [{ currency_value, currency_code: 'EUR' }]

describe('text', () => {
  accepts(at('text'), [
    { send: 'plain', reads: value('plain') },
    { send: ['in an array'], reads: value('in an array') },
    { send: { value: 'in full' }, reads: value('in full') },
    { send: [{ value: 'in full, in an array' }], reads: value('in full, in an array') },
    { send: '  untrimmed \n', reads: value('  untrimmed \n') },
    { send: 'ünï 漢字 👩‍👩‍👧 \u200f\u0001"\\', reads: value('ünï 漢字 👩‍👩‍👧 \u200f\u0001"\\') },
    { send: '', reads: [] },
    { send: null, reads: [] },
    { send: [], reads: [] },
    {
      send: { value: 'with what was read', attribute_type: 'text', active_until: null, other: 1 },
      reads: value('with what was read'),
    },
  ])
  refuses(at('text'), [
    { send: 5, code: 'validation_type', says: ['invalid value', 'attribute with slug "text"'], at: ['value'] },
    { send: true, code: 'validation_type', at: ['value'] },
    { send: {}, code: 'validation_type', at: ['value'] },
    { send: { value: null }, code: 'validation_type', at: ['value'] },
    { send: [['nested']], code: 'validation_type' },
    { send: 'a\0b', code: 'validation_type' },
    { send: '\ud800', code: 'validation_type' },
    { send: ['two', 'values'], code: 'validation_type', at: ['data', 'values', 'text'] },
    { send: [null], code: 'validation_type' },
  ])

  test('200 for 10 MB, 400 for more', async () => {
    const { request, object } = service().place('text')
    const longest = 'x'.repeat(10 * 1024 * 1024)
    const { body } = await createRecord(request, object, { text: longest })
    expect(body.data.values.text[0].value.length).toBe(longest.length)
    expect((await createRecord(request, object, { text: `${longest}x` })).body.code).toBe('validation_type')
  })
})

describe('number', () => {
  accepts(at('number'), [
    { send: 0, reads: value(0) },
    { send: -0, reads: value(0) },
    { send: { value: 17 }, reads: value(17) },
    { send: 0.1234567891, reads: value(0.1234567891) },
    { send: -1.5e300, reads: value(-1.5e300) },
    { send: 5e-324, reads: value(5e-324) },
    { send: Number.MAX_SAFE_INTEGER, reads: value(Number.MAX_SAFE_INTEGER) },
    { send: null, reads: [] },
  ])
  refuses(at('number'), [
    { send: '17', code: 'validation_type', says: ['"number"'], at: ['value'] },
    { send: true, code: 'validation_type' },
    { send: { value: '17' }, code: 'validation_type', at: ['value'] },
    { send: {}, code: 'validation_type', at: ['value'] },
    { send: [1, 2], code: 'validation_type', at: ['data', 'values', 'number'] },
  ])

  test('400 for a number beyond a 64-bit float', async () => {
    const answer = await service().request(
      'POST',
      '/v2/objects/everything/records',
      '{"data":{"values":{"number":1e999}}}',
    )
    expect(answer.body).toMatchObject({ status_code: 400, code: 'validation_type' })
  })
})

describe('rating', () => {
  accepts(at('rating'), [
    { send: 0, reads: value(0) },
    { send: 5, reads: value(5) },
    { send: 3.5, reads: value(3.5) },
    { send: { value: 2 }, reads: value(2) },
    { send: null, reads: [] },
  ])
  refuses(at('rating'), [
    { send: -1, code: 'validation_type', says: ['"rating"'], at: ['value'] },
    { send: 5.01, code: 'validation_type', at: ['value'] },
    { send: 6, code: 'validation_type', at: ['value'] },
    { send: '3', code: 'validation_type', at: ['value'] },
  ])
})

describe('checkbox', () => {
  accepts(at('checkbox'), [
    { send: true, reads: value(true) },
    { send: false, reads: value(false) },
    { send: 'true', reads: value(true) },
    { send: 'false', reads: value(false) },
    { send: [{ value: true }], reads: value(true) },
    { send: [], reads: [] },
  ])
  refuses(at('checkbox'), [
    { send: null, code: 'validation_type' },
    { send: 'yes', code: 'validation_type' },
    { send: 1, code: 'validation_type' },
    { send: { value: null }, code: 'validation_type' },
  ])
})

describe('currency', () => {
  accepts(at('currency'), [
    { send: 499, reads: euros(499) },
    { send: '499', reads: euros(499) },
    { send: '12.3400', reads: euros(12.34) },
    { send: 0.0001, reads: euros(0.0001) },
    { send: '-1.5', reads: euros(-1.5) },
    { send: { currency_value: 7.25 }, reads: euros(7.25) },
    { send: { currency_value: '7.2500', currency_code: 'USD' }, reads: euros(7.25) },
    { send: [], reads: [] },
  ])
  refuses(at('currency'), [
    { send: 0.00001, code: 'validation_type', says: ['"currency"'], at: ['currency_value'] },
    { send: '1.23456', code: 'validation_type', at: ['currency_value'] },
    { send: 'a lot', code: 'validation_type', at: ['currency_value'] },
    { send: '', code: 'validation_type' },
    { send: null, code: 'validation_type' },
    { send: { currency_value: null }, code: 'validation_type' },
    { send: {}, code: 'validation_type', at: ['currency_value'] },
    { send: true, code: 'validation_type' },
  ])

  test('200 with the present code of the attribute, also for values written before it changed', async () => {
    const { request } = service()
    const id = recordIdOf(
      await createRecord(request, 'deals', { name: 'x', stage: 'Lead', owner: service().member.id, value: 10 }),
    )
    const custom = recordIdOf(await createRecord(request, 'everything', { currency: 10 }))
    expect(ownMembers((await request('GET', `/v2/objects/deals/records/${id}`)).body.data.values.value)).toEqual([
      { currency_value: 10, currency_code: 'USD' },
    ])
    const config = { currency: { default_currency_code: 'NTD', display_type: 'code' } }
    expect((await request('PATCH', '/v2/objects/everything/attributes/currency', { data: { config } })).status).toBe(
      200,
    )
    const read = await request('GET', `/v2/objects/everything/records/${custom}`)
    expect(ownMembers(read.body.data.values.currency)).toEqual([{ currency_value: 10, currency_code: 'NTD' }])
  })
})
