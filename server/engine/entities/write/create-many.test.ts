import { describe, expect, test } from 'bun:test'
import type { Stored } from '#engine/attribute-types/define'
import { getAttribute, getObject } from '#engine/data-model/find'
import { useTestService } from '#testing/use-service'
import { prepareMany } from './create-entity'
import { ReservedCharacterError } from '#engine/storage/rows-text'
import { UniqueKeyConflict } from '#engine/storage/unique-keys'
import { VersionConflict } from '#engine/storage/preconditions'

const service = useTestService()

type Contents = Readonly<Record<string, readonly Stored[]>>

/** Creates people with these values and returns their ids. */
async function create(...people: readonly Contents[]): Promise<string[]> {
  const model = await service.appContext.models.reload(service.workspaceId)
  const object = getObject(model, 'people')
  const records = people.map((contents) => ({
    id: Bun.randomUUIDv7(),
    assignments: Object.entries(contents).map(([slug, values]) => ({ attribute: getAttribute(object, slug), values })),
  }))
  await prepareMany(model, object, records, {
    stamp: { now: service.appContext.now(), actor: 0 },
    answer: 'nothing',
    partnerEvents: 'joined',
  })(service)
  return records.map(({ id }) => id)
}

const read = async (id: string) => (await service.request('GET', `/v2/objects/people/records/${id}`)).body.data.values
const email = (email_address: string, original_email_address: string | null = null): Stored => ({
  email_address,
  original_email_address,
  email_root_domain: 'example.com',
})

describe('prepareMany', () => {
  test.each([
    'plain',
    ' spaces ',
    '"quotes" and \\ and \\N',
    '{braces,commas}',
    'tab\t, line\n, return\r',
    "it's",
    'NULL',
    '\x1c\x01\x7f',
    '日本語 😀',
  ])('stores text unchanged: %p', async (text) => {
    const [id = ''] = await create({ description: [{ value: text }], job_title: [{ value: 'Baker' }] })
    const values = await read(id)
    expect(values.description[0].value).toBe(text)
    expect(values.job_title[0].value).toBe('Baker')
    expect(values.linkedin).toEqual([])
  })

  test('stores several values, members without a value, and each value once', async () => {
    const twice = [email('a@example.com'), email('{b}@example.com', '"\\B"'), email('a@example.com')]
    const [first = '', second = ''] = await create({ email_addresses: twice }, { job_title: [{ value: 'Smith' }] })
    const addresses = (await read(first)).email_addresses
    expect(addresses).toMatchObject([
      { email_address: 'a@example.com', original_email_address: 'a@example.com' },
      { email_address: '{b}@example.com', original_email_address: '"\\B"' },
    ])
    expect(addresses).toHaveLength(2)
    expect((await read(second)).email_addresses).toEqual([])
    expect((await read(second)).created_at[0].value).toBe((await read(first)).created_at[0].value)
  })

  test.each(['\x1d', '\x1e', '\x1f'])('throws for the characters that separate values: %p', async (character) => {
    const text = [{ value: `a${character}b` }]
    await expect(create({ description: text })).rejects.toBeInstanceOf(ReservedCharacterError)
    await expect(create({ email_addresses: [email(`a${character}@example.com`)] })).rejects.toBeInstanceOf(
      ReservedCharacterError,
    )
  })

  test('creates none when one of them has a unique value of another record', async () => {
    await create({ email_addresses: [email('taken@example.com')] })
    const both = create(
      { email_addresses: [email('free@example.com')] },
      { email_addresses: [email('taken@example.com')] },
    )
    await expect(both).rejects.toBeInstanceOf(UniqueKeyConflict)
    const [id = ''] = await create({ email_addresses: [email('free@example.com')] })
    expect((await read(id)).email_addresses).toHaveLength(1)
  })

  test('creates none when one of them refers to an unknown record', async () => {
    const model = await service.appContext.models.reload(service.workspaceId)
    const target_object = getObject(model, 'companies').number
    const company = [{ target_object, target_record_id: Bun.randomUUIDv7() }]
    await expect(create({ job_title: [{ value: 'Guard' }] }, { company })).rejects.toBeInstanceOf(VersionConflict)
  })
})
