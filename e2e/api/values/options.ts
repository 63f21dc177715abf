/**
 * Selects and statuses.
 * See docs/reference/values.md (Select, Status) and docs/reference/objects-and-attributes.md (Option titles).
 */

import { describe, expect, test } from 'bun:test'
import { createRecord, expectRefusal, recordIdOf, refuses } from '../../support/fixtures/value-cases'
import { service } from './service'

const at = (attribute: string, object?: string) => () => service().place(attribute, object)

const UNKNOWN_ID = '01890a5d-ac96-774b-bcce-b302099a8057'

/** The attribute, the path of its options, and the members that differ between the two types. */
const KINDS = [
  { attribute: 'select', options: 'options', member: 'option', id: 'option_id', title: 'Medium', extra: {} },
  {
    attribute: 'status',
    options: 'statuses',
    member: 'status',
    id: 'status_id',
    title: 'Doing',
    extra: { celebration_enabled: false, target_time_in_status: null },
  },
] as const

const optionsPath = ({ attribute, options }: (typeof KINDS)[number]) =>
  `/v2/objects/everything/attributes/${attribute}/${options}`

const WON = 'Won 🎉'

describe.each(KINDS)('$attribute', (kind) => {
  const { attribute, member, id, title, extra } = kind

  /** Each form of the title and of the id. The test replaces `ID` by the id. */
  const forms: readonly unknown[] = [
    title,
    [title],
    `  ${title} `,
    { [member]: title },
    [{ [member]: title }],
    'ID',
    ['ID'],
    { [member]: 'ID' },
    { [member]: { id: { [id]: 'ID' }, title: 'other', is_archived: false } },
  ]
  test.each(forms.map((form) => [JSON.stringify(form), form] as const))('200 %s', async (text) => {
    const { request } = service()
    const { body } = await request('GET', optionsPath(kind))
    const option = body.data.find((each: { title: string }) => each.title === title)
    const sent = JSON.parse(text.replace('ID', option.id[id]))
    const answer = await createRecord(request, 'everything', { [attribute]: sent })
    expect(answer.body.data?.values[attribute]).toMatchObject([
      { attribute_type: attribute, [member]: { id: option.id, title, is_archived: false, ...extra } },
    ])
  })

  const words = `${member === 'option' ? 'select' : 'status'} option title`
  refuses(at(attribute), [
    { send: 'None', code: 'value_not_found', says: [words, '"None"'] },
    { send: title.toLowerCase(), code: 'value_not_found', says: [words] },
    { send: [UNKNOWN_ID], code: 'value_not_found', says: [`"${UNKNOWN_ID}"`] },
    { send: { [member]: 'None' }, code: 'value_not_found', says: ['"None"'] },
    { send: { [member]: 5 }, code: 'validation_type', says: [`"${attribute}"`], at: [member] },
    { send: {}, code: 'validation_type', at: [member] },
    { send: 5, code: 'validation_type' },
    { send: true, code: 'validation_type' },
    { send: [title, title], code: 'validation_type', at: ['data', 'values', attribute] },
  ])

  test('400 listing the valid titles', async () => {
    const answer = await createRecord(service().request, 'everything', { [attribute]: 'None' })
    expect(answer.body.valid_options).toContain(title)
  })

  test.each([[null], [[]]])('200 for %j, which clears the attribute', async (empty) => {
    const { request } = service()
    const record = `/v2/objects/everything/records/${recordIdOf(await createRecord(request, 'everything', { [attribute]: title }))}`
    const { body } = await request('PATCH', record, { data: { values: { [attribute]: empty } } })
    expect(body.data.values[attribute]).toEqual([])
  })

  test('400 for an archived option, which stays readable', async () => {
    const { request } = service()
    const path = optionsPath(kind)
    const added = await request('POST', path, { data: { title: 'Old' } })
    const record = recordIdOf(await createRecord(request, 'everything', { [attribute]: 'Old' }))
    const archived = await request('PATCH', `${path}/${added.body.data.id[id]}`, { data: { is_archived: true } })
    expect(archived.body).toMatchObject({ data: { is_archived: true } })
    expectRefusal(await createRecord(request, 'everything', { [attribute]: 'Old' }), 400, 'value_not_found', ['"Old"'])
    const { body } = await request('GET', `/v2/objects/everything/records/${record}`)
    expect(body.data.values[attribute][0][member]).toMatchObject({ title: 'Old', is_archived: true })
  })
})

describe('statuses of deals', () => {
  const deal = (stage: unknown) =>
    createRecord(service().request, 'deals', { name: 'x', owner: service().member.id, stage })

  test.each([WON, 'Won', ' Won '])('200 for %j, the title of the won stage, which has a celebration', async (title) => {
    const { body } = await deal(title)
    expect(body.data.values.stage[0].status).toMatchObject({ title: WON, celebration_enabled: true })
  })

  test('400 for an unknown title', async () => {
    expectRefusal(await deal('won'), 400, 'value_not_found', ['"won"'])
  })
})
