import { beforeAll, describe, expect, test } from 'bun:test'
import type { AnswerBody } from '#testing/client'
import { companies, importsOf } from '#testing/imports'
import { jobsOf } from '#testing/jobs'
import { signedIn } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'
import { trashClient } from '#testing/trash'

const service = useTestService()
const admin = usePerson(service)
let imports: ReturnType<typeof importsOf>
const jobs = jobsOf(service)
const trash = trashClient(service)
beforeAll(async () => {
  imports = importsOf(service, admin)
})

async function imported(text: string, changes?: Readonly<Record<string, string>>): Promise<string> {
  const path = await imports.begin(text, changes)
  await imports.runAll()
  return path
}

const preview = async (path: string) => (await admin.ask('GET', `${path}/undo`)).body.data

/** Undoes an import, and returns its job. */
async function undone(path: string): Promise<AnswerBody> {
  const { status, body } = await admin.ask('POST', `${path}/undo`)
  expect(status).toBe(200)
  expect(body.data.undo.job).toMatchObject({ status: 'running', operation: 'undo_import', import_id: body.data.id })
  await jobs.runAll()
  return (await imports.shown(path)).undo.job
}

/** The names of companies, in order. */
async function named(word: string): Promise<string[]> {
  const { body } = await service.request('POST', '/v2/objects/companies/records/query', {
    filter: { name: { $starts_with: word } },
    sorts: [{ attribute: 'name', direction: 'asc' }],
  })
  return body.data.map(({ values }: AnswerBody) => values.name[0].value)
}

async function idOf(name: string): Promise<string> {
  const { body } = await service.request('POST', '/v2/objects/companies/records/query', { filter: { name } })
  return body.data[0].id.record_id
}

const texts = async (id: string, slug: string): Promise<string[]> =>
  (await trash.values('companies', id))[slug].map((value: AnswerBody) => value.value ?? value.domain)

describe('POST …/imports/{import_id}/undo', () => {
  test('moves the records of the import to the trash, as a job', async () => {
    await trash.create('companies', { name: 'Many before' })
    const path = await imported(companies('Many', 120))
    expect(await preview(path)).toEqual({ created: 120, changed: 0, updated: 0 })
    const job = await undone(path)
    expect(job).toMatchObject({
      status: 'completed',
      total: 120,
      done: 120,
      failed: 0,
      kept: 0,
      skipped: 0,
      errors: [],
    })
    expect(await named('Many')).toEqual(['Many before'])
    expect((await trash.list('companies', '?limit=200')).body.data).toHaveLength(120)
    expect((await admin.ask('GET', `/console/v2/jobs/${job.id.job_id}`)).body.data).toEqual(job)
  })

  test('leaves records that somebody changed, or attached something to', async () => {
    const rows = Array.from({ length: 6 }, (_, at) => `Kept ${at},kept-${at}.com,from a file`)
    const path = await imported(['Company,Website,Description', ...rows].join('\n'))
    const edited = await idOf('Kept 0')
    await trash.update('companies', edited, { description: 'called them' })
    const emptied = await idOf('Kept 1')
    await trash.update('companies', emptied, { description: [] })
    const noted = await idOf('Kept 2')
    const note = {
      parent_object: 'companies',
      parent_record_id: noted,
      title: 'Call',
      format: 'plaintext',
      content: 'x',
    }
    expect((await service.request('POST', '/v2/notes', { data: note })).status).toBe(200)
    const listed = await idOf('Kept 3')
    const list = { name: 'Kept', api_slug: 'kept', parent_object: 'companies', workspace_access: 'full-access' }
    await service.request('POST', '/v2/lists', { data: { ...list, workspace_member_access: [] } })
    const entry = { parent_object: 'companies', parent_record_id: listed, entry_values: {} }
    expect((await service.request('POST', '/v2/lists/kept/entries', { data: entry })).status).toBe(200)
    await trash.remove('companies', await idOf('Kept 4'))
    expect(await preview(path)).toEqual({ created: 5, changed: 3, updated: 0 })
    const job = await undone(path)
    expect(job).toMatchObject({ status: 'completed', total: 5, done: 1, kept: 4, failed: 0, skipped: 0 })
    expect(job.errors.map(({ record_id }: AnswerBody) => record_id).toSorted()).toEqual(
      [edited, emptied, noted, listed].toSorted(),
    )
    expect(job.errors[0].error).toMatchObject({ status_code: 409, code: 'changed_since_import' })
    expect(await named('Kept')).toEqual(['Kept 0', 'Kept 1', 'Kept 2', 'Kept 3'])
  })

  test('trashes a record that a later row of the same file changed', async () => {
    const path = await imported('Company,Website,Description\nTwice,twice.com,first\nTwice,twice.com,second')
    expect(await texts(await idOf('Twice'), 'description')).toEqual(['second'])
    expect(await preview(path)).toEqual({ created: 1, changed: 0, updated: 0 })
    expect(await undone(path)).toMatchObject({ total: 1, done: 1 })
    expect(await named('Twice')).toEqual([])
  })

  test('puts values back that the import changed and nobody changed since', async () => {
    const old = { name: 'Old', domains: ['old.com', 'older.com'], description: 'before' }
    const [id, other] = [
      await trash.create('companies', old),
      await trash.create('companies', { name: 'Other', domains: ['other.com'] }),
    ]
    const rows = [
      'Company,Website,Description',
      'New,"old.com, new.com",after',
      'Newest,old.com,last',
      'Other,other.com,filled',
    ]
    const path = await imported(rows.join('\n'))
    expect(await texts(id, 'name')).toEqual(['Newest'])
    expect((await trash.update('companies', id, { description: 'mine' })).status).toBe(200)
    expect(await preview(path)).toEqual({ created: 0, changed: 0, updated: 2 })
    expect(await undone(path)).toMatchObject({ status: 'completed', total: 2, done: 1, kept: 1 })
    expect(await texts(id, 'name')).toEqual(['Old'])
    expect((await texts(id, 'domains')).toSorted()).toEqual(['old.com', 'older.com'])
    expect(await texts(id, 'description')).toEqual(['mine'])
    expect(await texts(other, 'description')).toEqual([])
    const history = await trash.history('companies', id, 'name')
    expect(history.map(({ value }: AnswerBody) => value)).toEqual(['Old', 'New', 'Newest', 'Old'])
  })

  test('keeps no earlier value of a record that was deleted for good', async () => {
    const values = { name: 'Erased', domains: ['erased.com'], description: 'a secret description' }
    const ids = [
      await trash.create('companies', values),
      await trash.create('companies', { ...values, domains: ['trashed.com'] }),
    ]
    const path = await imported('Website,Description\nerased.com,public\ntrashed.com,public')
    const { schema } = await service.appContext.models.get(service.workspaceId)
    const stored = async () => {
      const query = `select from ${schema}.import_updates where previous::text like '%secret%'`
      return (await service.db.sql.unsafe<object[]>(query)).length
    }
    expect(await stored()).toBe(2)
    const [existing = '', trashed = ''] = ids
    await trash.remove('companies', trashed)
    for (const id of [existing, trashed]) expect((await trash.purge('companies', id)).status).toBe(200)
    expect(await stored()).toBe(0)
    expect(await undone(path)).toMatchObject({ status: 'completed', total: 0, done: 0 })
  })

  test('puts the other side of a relationship back', async () => {
    const company = await trash.create('companies', { name: 'Team', domains: ['team.com'] })
    const person = (name: string) => trash.create('people', { email_addresses: [`${name}@team.com`] })
    const [before] = [await person('before'), await person('joined')]
    await trash.update('companies', company, { team: [{ target_object: 'people', target_record_id: before }] })
    const path = await imported('Website,Team\nteam.com,joined@team.com', { Team: 'team' })
    const team = async () =>
      (await trash.values('companies', company)).team.map((value: AnswerBody) => value.target_record_id)
    expect(await team()).toHaveLength(2)
    expect(await undone(path)).toMatchObject({ total: 1, done: 1, kept: 0, failed: 0 })
    expect(await team()).toEqual([before])
  })

  test('counts a record as done that a process trashed before it died', async () => {
    const path = await imported(companies('Died', 2))
    const { body } = await admin.ask('POST', `${path}/undo`)
    const { id, undo } = body.data
    const { schema } = await service.appContext.models.get(service.workspaceId)
    const [row] = await service.db.sql.unsafe<{ sequence: string; record_ids: string[] }[]>(
      `select sequence, record_ids from ${schema}.import_creations where import_id = $1`,
      [id],
    )
    const [first = '', second = ''] = row?.record_ids ?? []
    const last = [`2 ${row?.sequence.padStart(16, '0')} 00000002`, second]
    const batch = JSON.stringify({ count: 2, last })
    await service.db.sql`update relata.jobs set batch = ${batch}::text::jsonb where id = ${undo.job.id.job_id}`
    await trash.remove('companies', first)
    await jobs.runAll()
    expect((await imports.shown(path)).undo.job).toMatchObject({ status: 'completed', total: 2, done: 2, skipped: 0 })
  })

  test('404 after the import was deleted, of which the workspace keeps nothing', async () => {
    const path = await imported(companies('Deleted', 2))
    const { id } = await imports.shown(path)
    const { schema } = await service.appContext.models.get(service.workspaceId)
    const stored = () =>
      service.db.sql.unsafe(`select from ${schema}.import_creations where import_id = $1`, [id]) as Promise<unknown[]>
    expect(await stored()).toHaveLength(1)
    expect((await admin.ask('DELETE', path)).status).toBe(200)
    expect((await admin.ask('POST', `${path}/undo`)).status).toBe(404)
    expect(await stored()).toHaveLength(0)
  })

  test('goes on after a cancellation, and not after its end', async () => {
    const path = await imported(companies('Again', 60))
    const { body } = await admin.ask('POST', `${path}/undo`)
    expect((await admin.ask('POST', `${path}/undo`)).body).toMatchObject({ status_code: 409, code: 'import_state' })
    const cancelled = await admin.ask('POST', `/console/v2/jobs/${body.data.undo.job.id.job_id}/cancel`)
    expect(cancelled.body.data.status).toBe('cancelled')
    expect(await undone(path)).toMatchObject({ status: 'completed', done: 60 })
    expect((await admin.ask('POST', `${path}/undo`)).body).toMatchObject({ status_code: 409, code: 'import_state' })
  })

  test('409 for an import that runs, that did not run, and after the time of the trash', async () => {
    const { data } = (await imports.upload(companies('Ready', 1))).body
    const ready = `${imports.path}/${data.id}`
    expect((await admin.ask('POST', `${ready}/undo`)).body).toMatchObject({ status_code: 409, code: 'import_state' })
    const path = await imports.begin(companies('Expired', 1))
    expect((await admin.ask('GET', `${path}/undo`)).body).toMatchObject({ status_code: 409, code: 'import_state' })
    await imports.runAll()
    const { undo, id } = await imports.shown(path)
    expect(Date.parse(undo.until)).toBeGreaterThan(Date.now())
    await service.db.sql`update relata.imports set ended_at = ended_at - interval '30 days' where id = ${id}`
    expect((await admin.ask('POST', `${path}/undo`)).body).toMatchObject({
      status_code: 409,
      code: 'import_undo_expired',
    })
    expect(await named('Expired')).toHaveLength(1)
  })

  test('404 for the import of another person, 403 without the right to delete its records', async () => {
    const member = await signedIn(service, { [service.workspaceId]: 'member' })
    const path = await imported(companies('Rights', 1))
    expect((await member.ask('POST', `${path}/undo`)).status).toBe(404)
    const own = importsOf(service, member)
    const file = await own.begin(companies('Own', 1))
    await own.runAll()
    const object = (await service.appContext.models.get(service.workspaceId)).entityTypes.find(
      ({ api_slug }) => api_slug === 'companies',
    )?.id
    const access = { members: 'read-only', teams: [] }
    const changed = await admin.ask(
      'PUT',
      `/console/api/workspaces/${service.workspaceId}/objects/${object}/access`,
      access,
    )
    expect(changed.status).toBe(200)
    expect((await member.ask('POST', `${file}/undo`)).status).toBe(403)
    expect((await admin.ask('POST', `${file}/undo`)).status).toBe(200)
    await jobs.runAll()
    expect(await named('Own')).toEqual([])
  })
})
