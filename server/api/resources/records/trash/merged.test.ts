/** Originals of merges, which are restored from the trash. */

import { describe, expect, test } from 'bun:test'
import { commentClient, onRecord } from '#testing/comments'
import { fileClient } from '#testing/files'
import { listClient } from '#testing/lists'
import { taskClient } from '#testing/tasks'
import { useTestService } from '#testing/use-service'
import { reference, targetsOf, trashClient } from '#testing/trash'

const service = useTestService()
const trash = trashClient(service)

async function merge(primary_record_id: string, secondary_record_id: string, object = 'people'): Promise<string> {
  const data = { primary_record_id, secondary_record_id }
  const { status, body } = await service.request('POST', `/v2/objects/${object}/records/merge`, { data })
  if (status !== 200) throw new Error(body.message)
  return body.data.new_record_id
}
const data = async (path: string) => (await service.request('GET', path)).body.data
const company = (id: string) => ({ company: reference('companies', id) })

describe('POST …/restore of a merged record', () => {
  test('200 takes back values, history and unique values; the merged record keeps the others', async () => {
    const primary = await trash.create('people', { job_title: 'Engineer', email_addresses: ['p@merged.dev'] })
    const secondary = await trash.create('people', { description: 'Second', email_addresses: ['s@merged.dev'] })
    for (const description of ['Third', 'Fourth']) await trash.update('people', secondary, { description })
    const before = await trash.values('people', secondary)
    const history = await trash.history('people', secondary, 'description')
    const merged = await merge(primary, secondary)
    const [listed] = (await trash.list('people')).body.data
    expect(listed.merged_into).toBe(merged)
    expect((await trash.restore('people', secondary)).body.data.values).toEqual(before)
    expect(await trash.history('people', secondary, 'description')).toEqual(history)
    const left = await trash.values('people', merged)
    expect(left.email_addresses.map((value: { email_address: string }) => value.email_address)).toEqual([
      'p@merged.dev',
    ])
    expect([left.description, left.job_title[0].value]).toEqual([[], 'Engineer'])
    expect(await trash.history('people', merged, 'description')).toEqual([])
    expect((await trash.get('people', primary)).body.merged_into).toBe(merged)
    expect((await trash.restore('people', primary)).status).toBe(200)
    const { job_title, email_addresses } = await trash.values('people', merged)
    expect([job_title, email_addresses]).toEqual([[], []])
  })

  test('200 keeps what was written to the merged record after the merge', async () => {
    const [primary, secondary] = [await trash.create('people'), await trash.create('people', { job_title: 'Old' })]
    const merged = await merge(primary, secondary)
    await trash.update('people', merged, { job_title: 'New', description: 'Later' })
    expect((await trash.restore('people', secondary)).body.data.values.job_title[0].value).toBe('Old')
    const { job_title, description } = await trash.values('people', merged)
    expect([job_title[0].value, description[0].value]).toEqual(['New', 'Later'])
    expect((await trash.history('people', merged, 'job_title')).map((value: { value: string }) => value.value)).toEqual(
      ['Old', 'New'],
    )
  })

  test('200 takes back its entries, notes, files, threads and links', async () => {
    const [lists, files, tasks] = [listClient(service), fileClient(service), taskClient(service)]
    const [primary, secondary] = [await trash.create('people'), await trash.create('people')]
    const list = await lists.list()
    const entry = (await lists.upsert(list, secondary)).body.data.id.entry_id
    const other = await lists.entry(list, primary)
    const note = (id: string) =>
      service.request('POST', '/v2/notes', {
        data: { parent_object: 'people', parent_record_id: id, title: id, format: 'plaintext', content: '' },
      })
    await note(secondary)
    await files.file(secondary, { name: 'mine.txt' })
    await commentClient(service).comment(onRecord(secondary))
    const linked = (ids: readonly string[]) => ({
      linked_records: ids.map((target_record_id) => ({ target_object: 'people', target_record_id })),
    })
    const [own, both] = [await tasks.task(linked([secondary])), await tasks.task(linked([primary, secondary]))]
    const read = async (id: string) => [
      await data(`/v2/notes?parent_object=people&parent_record_id=${id}`),
      await data(`/v2/files?object=people&record_id=${id}`),
      await data(`/v2/threads?object=people&record_id=${id}`),
      (await lists.ofRecord(id)).body.data,
    ]
    const before = await read(secondary)
    const merged = await merge(primary, secondary)
    await note(merged)
    expect((await trash.restore('people', secondary)).status).toBe(200)
    expect(await read(secondary)).toEqual(before)
    expect((await read(merged)).map((each) => each.length)).toEqual([1, 0, 0, 1])
    expect((await lists.get(list, other)).body.data.parent_record_id).toBe(merged)
    expect((await lists.upsert(list, secondary)).body.data.id.entry_id).toBe(entry)
    const links = async (task: string) => targetsOf((await data(`/v2/tasks/${task}`)).linked_records)
    expect(await links(own)).toEqual([secondary])
    expect((await links(both)).toSorted()).toEqual([merged, secondary].toSorted())
  })

  test('200 takes back references, of which a shared one stays until the other record is restored', async () => {
    const [primary, secondary] = [await trash.create('companies'), await trash.create('companies')]
    const [ofPrimary, ofSecondary] = [
      await trash.create('people', company(primary)),
      await trash.create('people', company(secondary)),
    ]
    const left = await trash.create('people', company(secondary))
    await trash.update('people', left, { company: null })
    const before = await trash.values('people', ofSecondary)
    const history = await trash.history('companies', secondary, 'team')
    const people = [await trash.create('people'), await trash.create('people')]
    const [first = '', second = ''] = people
    const deal = await trash.create('deals', {
      name: 'Deal',
      stage: 'Lead',
      owner: service.member.email_address,
      associated_people: people.map((id) => reference('people', id)),
      associated_company: reference('companies', secondary),
    })
    const merged = await merge(primary, secondary, 'companies')
    const mergedPerson = await merge(first, second)
    await trash.restore('companies', secondary)
    expect(await trash.values('people', ofSecondary)).toEqual(before)
    expect(await trash.history('companies', secondary, 'team')).toEqual(history)
    expect(targetsOf(await trash.history('people', left, 'company'))).toEqual([secondary])
    expect(targetsOf((await trash.values('people', ofPrimary)).company)).toEqual([merged])
    expect(targetsOf((await trash.values('deals', deal)).associated_company)).toEqual([secondary])
    const associated = async () => targetsOf((await trash.values('deals', deal)).associated_people)
    expect(await associated()).toEqual([mergedPerson])
    await trash.restore('people', second)
    expect(await associated()).toEqual([mergedPerson, second])
    await trash.restore('people', first)
    expect(await associated()).toEqual([first, second])
  })

  test('200 after a second merge, in both orders', async () => {
    for (const isNested of [true, false]) {
      const [a, b, c] = [
        await trash.create('people', { email_addresses: [`a-${isNested}@chain.dev`] }),
        await trash.create('people', { email_addresses: [`b-${isNested}@chain.dev`] }),
        await trash.create('people', { email_addresses: [`c-${isNested}@chain.dev`] }),
      ]
      const once = await merge(a, b)
      const twice = await merge(c, once)
      if (isNested) expect((await trash.restore('people', once)).status).toBe(200)
      expect((await trash.get('people', a)).body.merged_into).toBe(isNested ? once : twice)
      expect((await trash.restore('people', a)).status).toBe(200)
      const { email_addresses } = await trash.values('people', isNested ? once : twice)
      expect(email_addresses).toHaveLength(isNested ? 1 : 2)
      expect((await trash.values('people', twice)).email_addresses.length).toBe(isNested ? 1 : 2)
    }
  })

  test('200 with its own values when the merged record is in the trash, which cannot be restored as long as it exists', async () => {
    const [primary, secondary] = [
      await trash.create('people', { email_addresses: ['p@gone.dev'] }),
      await trash.create('people', { email_addresses: ['s@gone.dev'] }),
    ]
    const merged = await merge(primary, secondary)
    await trash.remove('people', merged)
    expect((await trash.restore('people', secondary)).status).toBe(200)
    expect((await trash.restore('people', merged)).status).toBe(409)
    await trash.remove('people', secondary)
    expect((await trash.restore('people', merged)).status).toBe(200)
  })

  test('the events are those of its creation and of the merged record', async () => {
    const [primary, secondary] = [await trash.create('people'), await trash.create('people', { job_title: 'x' })]
    const merged = await merge(primary, secondary)
    await service.events()
    await trash.restore('people', secondary)
    const events = (await service.events()).map(({ event_type, id }) => [event_type, id.record_id])
    expect(events).toEqual([
      ['record.created', secondary],
      ['record.updated', merged],
    ])
  })
})
