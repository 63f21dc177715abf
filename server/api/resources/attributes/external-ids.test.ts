import { describe, expect, test } from 'bun:test'
import { attributeClient, attributeInput } from '#testing/attributes'
import { importsOf, planOf } from '#testing/imports'
import { signedIn } from '#testing/people'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const api = attributeClient(service)

/** Creates a unique attribute and returns its slug. */
async function externalId(object: string, members: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await api.create(object, attributeInput({ title: 'CRM id', is_unique: true, ...members }))
  expect([status, body.data?.is_unique]).toEqual([200, true])
  return body.data.api_slug
}

const recordIdsOf = async (object: string, slug: string, value: unknown): Promise<string[]> => {
  const { body } = await service.request('POST', `/v2/objects/${object}/records/query`, { filter: { [slug]: value } })
  return body.data.map(({ id }: { id: { record_id: string } }) => id.record_id)
}

describe.each(['people', 'companies'])('a unique custom attribute of %s', (object) => {
  const path = `/v2/objects/${object}/records`
  const upsert = (slug: string, values: object) =>
    service.request('PUT', `${path}?matching_attribute=${slug}`, { data: { values } })

  test('200 for two upserts by it, which write one record', async () => {
    const slug = await externalId(object)
    const first = await upsert(slug, { [slug]: 'A-1' })
    const second = await upsert(slug, { [slug]: 'A-1', description: 'Again' })
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.body.data.id).toEqual(first.body.data.id)
    expect(await recordIdsOf(object, slug, 'A-1')).toEqual([first.body.data.id.record_id])
  })

  test('200 for upserts of a batch by it', async () => {
    const slug = await externalId(object, { type: 'number' })
    const known = await api.record(object, { [slug]: 1 })
    const operations = [1, 2].map((id) => ({
      op: 'upsert',
      matching_attribute: slug,
      values: { [slug]: id, description: 'By batch' },
    }))
    const { status, body } = await service.request('POST', `${path}/batch`, { data: { operations } })
    expect([status, body.data.results.map((one: { status: number }) => one.status)]).toEqual([200, [200, 200]])
    expect((await api.values(object, known)).description[0].value).toBe('By batch')
    expect(await recordIdsOf(object, slug, 2)).toHaveLength(1)
  })

  test('400 when another record has the value; 200 after that record is deleted', async () => {
    const slug = await externalId(object)
    const id = await api.record(object, { [slug]: 'A-1' })
    const again = () => service.request('POST', path, { data: { values: { [slug]: 'A-1' } } })
    const { status, body } = await again()
    expect([status, body.code, body.conflicting_record_ids]).toEqual([400, 'uniqueness_conflict', [id]])
    await service.request('DELETE', `${path}/${id}`)
    expect((await again()).status).toBe(200)
  })

  test('200 for a change to unique, after which the first of equal values is matched', async () => {
    const { body } = await api.create(object, attributeInput())
    const slug = body.data.api_slug
    const first = await api.record(object, { [slug]: 'twice' })
    await api.record(object, { [slug]: 'twice' })
    expect((await api.update(object, slug, { is_unique: true })).body.data.is_unique).toBe(true)
    expect((await upsert(slug, { [slug]: 'twice' })).body.data.id.record_id).toBe(first)
    expect(await recordIdsOf(object, slug, 'twice')).toHaveLength(2)
  })

  test('200 for a reference by it', async () => {
    const slug = await externalId(object)
    const id = await api.record(object, { [slug]: 'A-1' })
    const reference = attributeInput({ type: 'record-reference' })
    await api.create('users', reference)
    const values = {
      user_id: object,
      primary_email_address: `${object}@example.com`,
      [reference.api_slug]: { target_object: object, [slug]: ['A-1'] },
    }
    const user = await api.record('users', values)
    expect((await api.values('users', user))[reference.api_slug]).toMatchObject([{ target_record_id: id }])
  })
})

test('an import matches by an external id when the file has no column of the key attribute', async () => {
  const imports = importsOf(service, await signedIn(service))
  const slug = await externalId('companies', { title: 'Ledger number' })
  const id = await api.record('companies', { [slug]: 'L-1', name: 'Acme' })
  const upload = async (text: string) => (await imports.upload(text)).body.data
  expect((await upload('Company,Website,Ledger number\nAcme,acme.com,L-1')).matches[0]).toBe('domains')
  const text = 'Company,Ledger number\nAcme Inc,L-1\nBolt,L-2'
  const { columns, matches } = await upload(text)
  expect([columns[1].target, matches.slice(0, 2)]).toEqual([slug, [slug, 'domains']])
  expect(planOf(columns).match).toBeNull()
  const path = await imports.begin(text)
  await imports.runAll()
  expect((await imports.shown(path)).counts).toMatchObject({ created: 1, updated: 1 })
  expect((await api.values('companies', id)).name[0].value).toBe('Acme Inc')
})
