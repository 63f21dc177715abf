/** `attribute_type` is the last member of a value in every response, as in the public v2 API. */

import { expect, test } from 'bun:test'
import { attributeClient, attributeInput } from '#testing/attributes'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'

const service = useTestService()

type Value = Readonly<Record<string, unknown>>

const MANY_MEMBERS = {
  name: 'Lovelace, Ada',
  email_addresses: ['ada@example.com', 'ada@example.org'],
  phone_numbers: ['+12125551234'],
  primary_location: 'London, UK',
}

const expectLast = (values: readonly Value[]) => {
  expect(values).not.toBeEmpty()
  for (const value of values) expect(Object.keys(value).at(-1)).toBe('attribute_type')
}

const ask = async (method: string, path: string, body?: object) => {
  const answer = await service.request(method, path, body)
  expect([answer.status, answer.body.message]).toEqual([200, undefined])
  return answer.body.data
}

/** All values of a record or an entry. */
const valuesOf = ({ values, entry_values }: { values?: object; entry_values?: object }): Value[] =>
  Object.values(values ?? entry_values ?? {}).flat()

test('in records, and in one attribute with its history', async () => {
  const people = '/v2/objects/people/records'
  const made = await ask('POST', people, { data: { values: MANY_MEMBERS } })
  expectLast(valuesOf(made))
  const path = `${people}/${made.id.record_id}`
  expectLast(valuesOf(await ask('PATCH', path, { data: { values: { email_addresses: ['a@example.net'] } } })))
  expectLast(valuesOf(await ask('GET', path)))
  expectLast((await ask('POST', `${people}/query`, {})).flatMap(valuesOf))
  expectLast(await ask('GET', `${path}/attributes/name/values`))
  const history = { active_from: '2024-01-01', active_until: null, value: 'Engineer' }
  const data = { values: [history], replace_history: true }
  expectLast(await ask('PUT', `${path}/attributes/job_title/values`, { data }))
  expectLast(await ask('GET', `${path}/attributes/job_title/values?show_historic=true`))
})

test('in entries', async () => {
  const lists = listClient(service)
  const list = await lists.list()
  await lists.attribute(list, 'contact', { type: 'email-address' })
  const entry = await lists.entry(list, await lists.record(), { contact: 'ada@example.com' })
  const entries = `/v2/lists/${list}/entries`
  expectLast(valuesOf(await ask('GET', `${entries}/${entry}`)))
  expectLast((await ask('POST', `${entries}/query`, {})).flatMap(valuesOf))
})

test('in default values', async () => {
  const template = [{ original_phone_number: '+12125551234' }]
  const data = attributeInput({ type: 'phone-number', default_value: { type: 'static', template } })
  expectLast((await attributeClient(service).create('deals', data)).body.data.default_value.template)
  expectLast((await attributeClient(service).get('deals', data.api_slug)).body.data.default_value.template)
})
