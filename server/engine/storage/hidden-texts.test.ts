import { expect, test } from 'bun:test'
import { modelOfMember } from '#engine/data-model/access/member-model'
import { signedIn } from '#testing/people'
import { useTestService } from '#testing/use-service'
import { runWorker } from '#testing/workers'
import { deletedObjectWorker } from '#api/entities/erase-deleted'
import { findHiddenTexts } from './hidden-texts'

const service = useTestService()

const made = async (path: string, data: object) => (await service.request('POST', path, { data })).body.data

test('a text that names a hidden record, an alias of a hidden object, or a record of an object that was deleted meanwhile', async () => {
  const admin = await signedIn(service)
  const member = await signedIn(service, { [service.workspaceId]: 'member' })
  const nouns = { singular_noun: 'Vault', plural_noun: 'Vaults' }
  const object = await made('/v2/objects', { api_slug: 'vaults', ...nouns })
  const record = (await made('/v2/objects/vaults/records', { values: {} })).id.record_id
  for (const object of ['vaults', 'people']) {
    const path = `/console/api/workspaces/${service.workspaceId}/objects/${object}/access`
    expect((await admin.ask('PUT', path, { members: 'hidden', teams: [] })).status).toBe(200)
  }
  const loaded = await service.appContext.models.reload(service.workspaceId)
  const model = modelOfMember(loaded, member.memberIds[service.workspaceId])
  const texts = {
    record: JSON.stringify({ target_record_id: record.toUpperCase() }),
    alias: JSON.stringify({ target_object: { $eq: 'person' } }),
    other: JSON.stringify({ target_record_id: crypto.randomUUID(), target_object: 'companies' }),
  }
  const find = async () => [...(await findHiddenTexts({ db: service.db, model }, Object.values(texts)))].toSorted()
  expect(await find()).toEqual([texts.alias, texts.record].toSorted())
  expect((await service.request('DELETE', '/v2/objects/vaults')).status).toBe(200)
  expect(await find()).toEqual([texts.alias, texts.record].toSorted())
  await service.request('DELETE', `/v2/objects/${object.id.object_id}?permanent=true`)
  await runWorker(deletedObjectWorker(), service.appContext)
  expect(await find()).toEqual([texts.alias])
})
