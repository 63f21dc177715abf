/** References to records. See docs/reference/values.md (Record reference). */

import { describe, expect, test } from 'bun:test'
import { COMPANY_DOMAIN, PERSON_ADDRESS } from '../../support/fixtures/every-type'
import { createRecord, expectRefusal, ownMembers, recordIdOf, refuses } from '../../support/fixtures/value-cases'
import { service } from './service'

const at = (attribute: string, object?: string) => () => service().place(attribute, object)

const NOWHERE = '01890a5d-ac96-774b-bcce-b302099a8057'

/** Replaces `PERSON` and `COMPANY` by the ids of the records. */
const withIds = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll('PERSON', service().person).replaceAll('COMPANY', service().company))

describe('record-reference', () => {
  const forms: readonly (readonly [attribute: string, target: 'people' | 'companies', form: unknown])[] = [
    ['person', 'people', { target_object: 'people', target_record_id: 'PERSON' }],
    ['person', 'people', [{ target_object: 'people', target_record_id: 'PERSON' }]],
    ['person', 'people', { target_object: 'person', target_record_id: 'PERSON' }],
    ['person', 'people', { target_record_id: 'PERSON' }],
    ['person', 'people', { target_object: 'people', email_addresses: [PERSON_ADDRESS] }],
    [
      'person',
      'people',
      { target_object: 'people', email_addresses: [{ email_address: PERSON_ADDRESS.toUpperCase() }] },
    ],
    ['person', 'people', { target_object: 'people', record_id: ['PERSON'] }],
    ['person', 'people', PERSON_ADDRESS],
    ['person', 'people', [PERSON_ADDRESS]],
    ['person', 'people', 'PERSON'],
    ['company', 'companies', COMPANY_DOMAIN],
    ['company', 'companies', `https://${COMPANY_DOMAIN}/about`],
    ['company', 'companies', 'COMPANY'],
    ['company', 'companies', { target_object: 'companies', domains: [{ domain: COMPANY_DOMAIN }] }],
    ['anything', 'companies', { target_object: 'companies', domains: [COMPANY_DOMAIN] }],
    ['anything', 'people', { target_object: 'people', target_record_id: 'PERSON' }],
  ]
  test.each(forms.map(([attribute, target, form]) => [attribute, target, JSON.stringify(form)] as const))(
    '200 for %s to %s as %s',
    async (attribute, target_object, text) => {
      const { request, person, company } = service()
      const { body } = await createRecord(request, 'everything', { [attribute]: withIds(JSON.parse(text)) })
      expect(body).toMatchObject({ data: {} })
      const target_record_id = target_object === 'people' ? person : company
      expect(ownMembers(body.data.values[attribute])).toEqual([{ target_object, target_record_id }])
    },
  )

  refuses(at('person'), [
    { send: NOWHERE, code: 'value_not_found', says: [NOWHERE] },
    { send: { target_object: 'people', target_record_id: NOWHERE }, code: 'value_not_found', says: [NOWHERE] },
    { send: 'unknown@relata.dev', code: 'value_not_found', says: ['unknown@relata.dev'] },
    { send: { target_object: 'people', email_addresses: ['unknown@relata.dev'] }, code: 'value_not_found' },
    { send: { target_object: 'companies', target_record_id: NOWHERE }, code: 'validation_type', says: ['"person"'] },
    { send: { target_object: 'companies', domains: [COMPANY_DOMAIN] }, code: 'validation_type' },
    { send: { target_object: 'people', email_addresses: [] }, code: 'validation_type' },
    { send: { target_object: 'people', email_addresses: [PERSON_ADDRESS, 'b@relata.dev'] }, code: 'validation_type' },
    { send: { target_object: 'people', email_addresses: PERSON_ADDRESS }, code: 'validation_type' },
    { send: { target_object: 'people', email_addresses: [PERSON_ADDRESS], name: ['x'] }, code: 'validation_type' },
    { send: { target_object: 'people', name: ['Ada'] }, code: 'matching_attribute_definition_not_unique' },
    {
      send: { target_object: 'people', phone_numbers: ['+12125551234'] },
      code: 'matching_attribute_definition_not_unique',
    },
    { send: { target_object: 'people' }, code: 'validation_type' },
    { send: { target_object: 'people', target_record_id: 'x' }, code: 'validation_type', at: ['target_record_id'] },
    { send: {}, code: 'validation_type' },
    { send: 5, code: 'validation_type' },
    { send: 'no address', code: 'validation_type' },
  ])
  refuses(at('anything'), [
    { send: PERSON_ADDRESS, code: 'validation_type' },
    { send: { target_record_id: NOWHERE }, code: 'validation_type', at: ['target_object'] },
    { send: { target_object: 'nothing', target_record_id: NOWHERE }, code: 'value_not_found', says: ['nothing'] },
  ])

  test.each([
    ['users', 'user_id', { user_id: 'user 1', primary_email_address: 'u1@relata.dev' }],
    ['workspaces', 'workspace_id', { workspace_id: 'workspace 1' }],
  ] as const)('200 a string towards %s means %s', async (object, unique, values) => {
    const { request } = service()
    const target_record_id = recordIdOf(await createRecord(request, object, values))
    const [from, attribute] =
      object === 'users' ? (['workspaces', 'users'] as const) : (['users', 'workspace'] as const)
    const required =
      object === 'users' ? { workspace_id: 'w' } : { user_id: 'u', primary_email_address: 'u@relata.dev' }
    const name = (values as Record<string, string>)[unique] // the unique attribute is one of the values
    for (const send of [[name], [target_record_id]]) {
      const id = recordIdOf(await createRecord(request, from, { ...required, [attribute]: send }))
      const { body } = await request('GET', `/v2/objects/${from}/records/${id}`)
      expect(ownMembers(body.data.values[attribute])).toEqual([{ target_object: object, target_record_id }])
      await request('DELETE', `/v2/objects/${from}/records/${id}`)
    }
  })

  test('200 for a reference to the record itself', async () => {
    const { request } = service()
    const id = recordIdOf(await createRecord(request, 'everything', {}))
    const anything = { target_object: 'everything', target_record_id: id }
    const { body } = await request('PATCH', `/v2/objects/everything/records/${id}`, { data: { values: { anything } } })
    expect(ownMembers(body.data.values.anything)).toEqual([anything])
    expect((await request('DELETE', `/v2/objects/everything/records/${id}`)).body).toEqual({})
  })

  test('400 for an unknown target, which is not created', async () => {
    const { request } = service()
    const values = { person: 'nobody@relata.dev' }
    expectRefusal(await createRecord(request, 'everything', values), 400, 'value_not_found')
    const match = { person: { target_object: 'people', email_addresses: ['nobody@relata.dev'] } }
    expectRefusal(await createRecord(request, 'everything', match), 400, 'value_not_found')
  })

  test('deleting a target ends the values that refer to it, with the system as the actor', async () => {
    const { request } = service()
    const target = recordIdOf(await createRecord(request, 'companies', {}))
    const references = [
      { target_object: 'companies', target_record_id: service().company },
      { target_object: 'companies', target_record_id: target },
    ]
    const id = recordIdOf(await createRecord(request, 'everything', { company: target, references }))
    expect((await request('DELETE', `/v2/objects/companies/records/${target}`)).status).toBe(200)
    const { body } = await request('GET', `/v2/objects/everything/records/${id}`)
    expect(body.data.values.company).toEqual([])
    expect(ownMembers(body.data.values.references)).toEqual([references[0] ?? {}])
    const path = `/v2/objects/everything/records/${id}/attributes/company/values?show_historic=true`
    const [ended] = (await request('GET', path)).body.data
    expect(ended).toMatchObject({ target_object: 'companies', target_record_id: target })
    expect(ended.active_until > ended.active_from).toBe(true)
  })
})
