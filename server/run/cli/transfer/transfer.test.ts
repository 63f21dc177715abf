/** A workspace with every resource is exported and imported. A second export equals the first one. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { webhookRow } from '#events/webhooks/delivery'
import { SECRET_KEY_SETTING } from '#testing/database'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createToken } from '#access/tokens/tokens'
import { refreshInteractions } from '#crm/interactions/refresh-records'
import { requestAllRefreshes } from '#crm/interactions/request-refreshes'
import { READ_WRITE_SCOPES } from '#vocabulary/scopes'
import { attributeInput } from '#testing/attributes'
import { dataOf } from '#testing/whole-workspace/data-of'
import { requestErasure, rollupsOf } from '#testing/rollups'
import { testService } from '#testing/service'
import { useTestService } from '#testing/use-service'
import { linkedObject, type LinkedObject } from '#testing/linked-object'
import { fillAttachments } from '#testing/whole-workspace/fill-attachments'
import { archiveParts, fillModel } from '#testing/whole-workspace/fill-model'
import { fillRecords } from '#testing/whole-workspace/fill-records'
import { runCommandLine } from '#run/cli/run'
import { exportWorkspace } from './export/export-workspace'
import type { Manifest } from './format'
import { importWorkspace } from './import/import-workspace'
import { openExport } from './import/open-export'
import { createProgress } from './progress'
import { readApi } from '#testing/whole-workspace/read-api'

const service = useTestService()
const root = mkdtempSync(join(tmpdir(), 'relata-transfer-'))
let first: Manifest
let copyId: string
let copyKey: string
let deleted: LinkedObject
let deletedActivity: string
/** A record that is still to be erased from the history of a look-up. */
let erased: string
const progress = createProgress({ write: () => {} })
beforeAll(async () => {
  await fillModel(service)
  const records = await fillRecords(service)
  await archiveParts(service)
  await fillAttachments(service, records)
  deleted = await linkedObject(service, 'wreck')
  const removed = await service.request('DELETE', '/v2/objects/wreck')
  if (removed.status !== 200) throw new Error(JSON.stringify(removed.body))
  deletedActivity = await deleteActivity()
  await rollupsOf(service).work()
  await requestAllRefreshes(
    service.db,
    await service.appContext.models.reload(service.workspaceId),
    service.appContext.now,
  )
  expect(await refreshInteractions(service.appContext)).toBeGreaterThan(0)
  erased = await requestErasure(service)
  first = await exportTo('first', service.workspaceId)
  copyId = await importFrom('first', 'copy')
})
afterAll(() => rmSync(root, { recursive: true }))

/** An activity with a record that can be restored. Returns its id. */
async function deleteActivity(): Promise<string> {
  const post = dataOf(service, 'POST')
  const names = { api_slug: 'soundings', singular_noun: 'Sounding', plural_noun: 'Soundings' }
  const { id } = await post('/activities', { ...names, extends: 'interactions' })
  await post('/activities/soundings/records', { values: { note: 'Ten fathoms', people: [deleted.person] } })
  expect((await service.request('DELETE', '/v2/activities/soundings')).status).toBe(200)
  return id.activity_id
}

const exportTo = (name: string, workspaceId: string) => {
  const { db, blobs, now } = service.appContext
  return exportWorkspace({ db, blobs, now, workspaceId, folder: join(root, name), progress })
}

async function importFrom(name: string, slug: string): Promise<string> {
  const { db, blobs, now } = service.appContext
  const folder = join(root, name)
  const manifest = await openExport(folder, progress)
  const workspace = { ...manifest.workspace, slug }
  return importWorkspace({ db, blobs, now, folder, manifest, workspace, progress })
}

const filesIn = (name: string) =>
  readdirSync(join(root, name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'manifest.json')
    .map(({ parentPath, name: file }) => join(parentPath, file).slice(join(root, name).length + 1))
    .toSorted()

/** Names of files whose content differs. */
const differences = (one: string, other: string) =>
  filesIn(one).filter((file) => !readFileSync(join(root, one, file)).equals(readFileSync(join(root, other, file))))

describe('export', () => {
  test('every file has a line, so that the comparison covers every resource', () => {
    expect(first.files.filter(({ lines }) => lines === 0).map(({ name }) => name)).toEqual([
      'records/deals.ndjson',
      'records/users.ndjson',
      'records/workspaces.ndjson',
    ])
    expect(first.blobs.count).toBe(2)
  })

  test('records have what is rare: refreshes, mirrored values and ranks', () => {
    const text = filesIn('first')
      .filter((file) => file.startsWith('records/'))
      .map((file) => readFileSync(join(root, 'first', file), 'utf8'))
      .join()
    for (const part of [/"refreshes":[1-9]/, /"mirrored":true/, /"rank":\d/, /"interaction_type"/, /u001d/])
      expect(text).toMatch(part)
  })

  test('two exports of a workspace differ in nothing but the instant', async () => {
    const { exported_at, ...again } = await exportTo('again', service.workspaceId)
    expect(again).toEqual({ ...first, exported_at: undefined } as never)
    expect(exported_at > first.exported_at).toBe(true)
    expect(filesIn('again')).toEqual(filesIn('first'))
    expect(differences('first', 'again')).toEqual([])
  })

  test('no secret and no password is in the files', async () => {
    const { sql } = service.db
    const rows = await sql<{ secret: string }[]>`
      select secret from relata.webhooks union select encode(token_hash, 'hex') from relata.tokens
      union select secret::text from relata.workspaces union select password_hash from relata.accounts where length(password_hash) > 1`
    const text = filesIn('first')
      .filter((file) => file.endsWith('.ndjson'))
      .map((file) => readFileSync(join(root, 'first', file), 'utf8'))
      .join()
    expect(rows.length).toBeGreaterThan(3)
    expect(rows.filter(({ secret }) => text.includes(secret))).toEqual([])
    expect(text).not.toContain(service.workspaceId)
  })

  test('shows one instant: what is written meanwhile is in no file', async () => {
    const writes: Promise<unknown>[] = []
    const { ada } = {
      ada: (await service.request('POST', '/v2/objects/people/records/query', { limit: 1 })).body.data[0],
    }
    const note = { parent_object: 'people', parent_record_id: ada.id.record_id, format: 'plaintext', content: '' }
    const { db, blobs, now } = service.appContext
    const watching = {
      ...progress,
      begin(name: string) {
        if (name === 'actors.ndjson')
          writes.push(service.request('POST', '/v2/notes', { data: { ...note, title: 'Meanwhile' } }))
      },
    }
    await exportWorkspace({
      db,
      blobs,
      now,
      workspaceId: service.workspaceId,
      folder: join(root, 'snapshot'),
      progress: watching,
    })
    const [written] = (await Promise.all(writes)) as { status: number; body: { data: { id: { note_id: string } } } }[]
    expect(written?.status).toBe(200)
    expect(differences('first', 'snapshot')).toEqual([])
    await service.request('DELETE', `/v2/notes/${written?.body.data.id.note_id}`)
  })

  test('refuses a folder that is not empty', async () => {
    await expect(exportTo('first', service.workspaceId)).rejects.toThrow('is not empty')
  })
})

describe('import', () => {
  test('the export of the copy is equal to the last byte, files included', async () => {
    const second = await exportTo('second', copyId)
    expect(filesIn('second')).toEqual(filesIn('first'))
    expect(differences('first', 'second')).toEqual([])
    expect(second.files).toEqual(first.files)
    expect(second.workspace).toEqual({ ...first.workspace, slug: 'copy' })
  })

  test('the copy erases what is to be erased from the history of look-ups', async () => {
    const rows = await service.db.sql`
      select entity_type_id, attribute_id, entity_id, after, is_erasure, requested_at from relata.rollup_refreshes
      where entity_id = ${erased}`
    expect(rows).toHaveLength(2)
    expect(rows[0]).toEqual(rows[1])
    expect(rows[0]).toMatchObject({ is_erasure: true })
  })

  test('the API answers the same for both', async () => {
    const [member] = await service.db.sql<{ id: string }[]>`
      select id from relata.workspace_members where workspace_id = ${copyId} and id = ${service.member.id}`
    const { token: key } = await createToken(service.db, {
      workspaceId: copyId,
      name: 'Copy',
      scopes: READ_WRITE_SCOPES,
      authorizedBy: member?.id ?? '',
      now: service.appContext.now(),
    })
    copyKey = key
    await rollupsOf(service).refresh()
    const [one, other] = [await readApi(service, service.key), await readApi(service, key)]
    const text = JSON.stringify(other, null, 1)
      .replaceAll(copyId, service.workspaceId)
      .replaceAll('/copy/', '/workspace-1/')
    expect(Object.keys(one).length).toBeGreaterThan(40)
    expect(text.split('\n')).toEqual(JSON.stringify(one, null, 1).split('\n'))
  })

  test('an object that was deleted can be restored in the copy', async () => {
    const options = { key: copyKey }
    const { id, record, paths } = deleted
    const { status } = await service.request('POST', `/v2/objects/${id}/restore`, undefined, options)
    expect(status).toBe(200)
    for (const path of paths) expect((await service.request('GET', `/v2${path}`, undefined, options)).status).toBe(200)
    const { body } = await service.request('GET', `/v2/objects/wreck/records/${record}`, undefined, options)
    expect(body.data.values.owner).toHaveLength(1)
    expect((await service.request('DELETE', '/v2/objects/wreck', undefined, options)).status).toBe(200)
  })

  test('an activity that was deleted can be restored in the copy', async () => {
    const options = { key: copyKey }
    const restored = await service.request('POST', `/v2/activities/${deletedActivity}/restore`, undefined, options)
    expect(restored.status).toBe(200)
    const { body } = await service.request('POST', '/v2/activities/soundings/records/query', {}, options)
    expect(body.data[0].values.note[0].value).toBe('Ten fathoms')
    expect(body.data[0].values.people).toMatchObject([{ target_record_id: deleted.person }])
    expect((await service.request('DELETE', '/v2/activities/soundings', undefined, options)).status).toBe(200)
  })

  test('the tables are those of the data model, and derived rows are right', async () => {
    const lines: string[] = []
    const print = (line: string) => void lines.push(line)
    const code = await runCommandLine(
      ['check'],
      { ...SECRET_KEY_SETTING, DATABASE_URL: service.url },
      { print, printError: print },
    )
    expect([code, ...lines]).toEqual([0, 'All tables are as they should be.'])
    const numbers = await service.db.sql<{ number: number }[]>`
      select number from relata.workspaces where id in (${service.workspaceId}, ${copyId}) order by number`
    const keys = await Promise.all(
      numbers.map(({ number }) => service.db.sql.unsafe(`select * from w_${number}.uniques order by attribute, key`)),
    )
    expect(keys[0]?.length).toBeGreaterThan(5)
    expect([...(keys[1] ?? [])]).toEqual([...(keys[0] ?? [])])
    const blobs = (id: string) => service.db.sql`
      select digest, references_count from relata.blobs where workspace_id = ${id} order by digest`
    expect([...(await blobs(copyId))]).toEqual([...(await blobs(service.workspaceId))])
  })

  test('there are no events and no deliveries, and webhooks are inactive with a new secret', async () => {
    expect(await service.db.sql`select 1 from relata.events where workspace_id = ${copyId}`).toHaveLength(0)
    const secrets = await service.db.sql<{ id: string; status: string; secret: string }[]>`
      select id, status, secret from relata.webhooks where workspace_id in (${copyId}, ${service.workspaceId}) order by status`
    expect(secrets.map(({ status }) => status)).toEqual(['active', 'inactive'])
    expect(new Set(secrets.map(({ secret }) => secret)).size).toBe(2)
    const { id = '', secret = '' } = secrets[1] ?? {}
    expect(service.db.secrets.decrypt(webhookRow(copyId, id), secret)).toMatch(/^[0-9a-f]{64}$/)
  })

  test('the copy can be changed: unique values are taken, new attributes get new columns', async () => {
    const headers = { key: copyKey }
    const taken = await service.request(
      'POST',
      '/v2/objects/ships/records',
      { data: { values: { name: 'Argo', hull: 'H-0' } } },
      headers,
    )
    expect([taken.status, taken.body.code]).toEqual([400, 'uniqueness_conflict'])
    const path = '/v2/objects/ships/attributes'
    const added = await service.request(
      'POST',
      path,
      { data: attributeInput({ api_slug: 'masts', type: 'number' }) },
      headers,
    )
    expect(added.status).toBe(200)
    const values = { name: 'Argo', hull: 'H-new', masts: 2, escorts: [] }
    const created = await service.request('POST', '/v2/objects/ships/records', { data: { values } }, headers)
    expect([created.status, created.body.data.values.masts[0].value]).toEqual([200, 2])
    const id = created.body.data.id.record_id
    await service.request('PATCH', `/v2/objects/ships/records/${id}`, { data: { values: { masts: 3 } } }, headers)
    const history = await service.request(
      'GET',
      `/v2/objects/ships/records/${id}/attributes/masts/values?show_historic=true`,
      undefined,
      headers,
    )
    expect(history.body.data.map(({ value }: { value: number }) => value)).toEqual([2, 3])
  })

  test('another database: accounts are created without a password, and the export is the same', async () => {
    const other = await testService()
    try {
      const { db, blobs, now } = other.appContext
      const folder = join(root, 'first')
      const manifest = await openExport(folder, progress)
      const workspace = { ...manifest.workspace, slug: 'moved' }
      const id = await importWorkspace({ db, blobs, now, folder, manifest, workspace, progress })
      await exportWorkspace({ db, blobs, now, workspaceId: id, folder: join(root, 'moved'), progress })
      expect(differences('first', 'moved')).toEqual([])
      const accounts = await db.sql`select 1 from relata.accounts where email_address = 'third@example.com'`
      expect(accounts).toHaveLength(1)
      const lines: string[] = []
      const print = (line: string) => void lines.push(line)
      const words = ['account', 'reset-password', 'third@example.com']
      expect(
        await runCommandLine(words, { ...SECRET_KEY_SETTING, DATABASE_URL: other.url }, { print, printError: print }),
      ).toBe(0)
      expect(lines.join()).toContain('http')
    } finally {
      await other.close()
    }
  })

  test('bytes that cannot be stored leave neither bytes nor a workspace', async () => {
    const { db, blobs, now } = service.appContext
    const before = await Array.fromAsync(blobs.bytes.list())
    let published = 0
    const publish: typeof blobs.bytes.publish = (...args) =>
      ++published === 2 ? Promise.reject(new Error('The disk is full.')) : blobs.bytes.publish(...args)
    const failing = { ...blobs, bytes: { ...blobs.bytes, publish } }
    const folder = join(root, 'first')
    const manifest = await openExport(folder, progress)
    const workspace = { ...manifest.workspace, slug: 'failed' }
    const importing = importWorkspace({ db, blobs: failing, now, folder, manifest, workspace, progress })
    await expect(importing).rejects.toThrow('The disk is full.')
    expect(await Array.fromAsync(blobs.bytes.list())).toHaveLength(before.length)
    expect(await db.sql`select 1 from relata.workspaces where slug = 'failed'`).toHaveLength(0)
    expect(await importFrom('first', 'failed')).toBeString()
  })

  test('accounts are matched by address', async () => {
    const rows = await service.db.sql<{ count: number }[]>`
      select count(distinct account_id)::int from relata.workspace_members where email_address = 'third@example.com'`
    expect(rows[0]?.count).toBe(1)
  })
})
