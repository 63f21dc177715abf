import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { hasAccounts } from '#access/accounts/accounts'
import { SECRET_KEY_SETTING } from '#testing/database'
import { startServiceProcess } from '#testing/child-process'
import { createClient } from '#testing/client'
import { connect, makeApp } from '#testing/oauth'
import { signedIn } from '#testing/people'
import { outboxWriterOf } from '#engine/outbox/outbox'
import { publishBatch } from '#events/feed/publish'
import { testService, type TestService, type TestWorkspace } from '#testing/service'
import { fillAttachments } from '#testing/whole-workspace/fill-attachments'
import { until } from '#testing/until'
import { archiveParts, fillModel } from '#testing/whole-workspace/fill-model'
import { fillRecords } from '#testing/whole-workspace/fill-records'
import { runWorker } from '#testing/workers'
import { deleteWorkspace, listDeletedWorkspaces, restoreWorkspace } from './deletion'
import { removalWorker } from './removal'
import { runRelata } from '#testing/command-line'

const DAY = 86_400_000_000

let service: TestService
let other: TestWorkspace
beforeAll(async () => {
  service = await testService()
  await fillModel(service)
  const records = await fillRecords(service)
  await archiveParts(service)
  await fillAttachments(service, records)
  await service.request('POST', '/v2/sql', { sql: 'select count(*) from objects.people' })
  other = await service.anotherWorkspace()
  // An app of the first workspace that the other one uses.
  const owner = await signedIn(service, { [service.workspaceId]: 'admin', [other.workspaceId]: 'admin' })
  await connect(service, owner, await makeApp(service, { is_published: true }))
  await createClient(service.app, other.key)('POST', '/v2/objects/people/records', { data: { values: {} } })
  await service.events()
})
afterAll(() => service.close())

const commandLine = () => ({ actor: null, now: service.appContext.now() })

/** The control tables with rows of the first workspace, but those of the removal itself. */
async function tablesWithRows(): Promise<string[]> {
  const { db, workspaceId } = service
  const tables = await db.sql<{ name: string }[]>`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'
    where c.relnamespace = 'relata'::regnamespace and c.relkind in ('r', 'p') order by 1`
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await db.sql`select from ${db.sql(`relata.${name}`)} where workspace_id = ${workspaceId} limit 1`
    if (rows.length > 0) found.push(name)
  }
  return found
}

const schemas = async () =>
  (
    await service.db.sql<{ name: string }[]>`select nspname as name from pg_namespace where nspname ~ '^w_' order by 1`
  ).map(({ name }) => name)
const roles = async () => {
  const [{ count }] = await service.db.sql<[{ count: string }]>`
    select count(*) from pg_roles join pg_database d on d.datname = current_database() where rolname = 'relata_sql_' || d.oid || '_1'`
  return Number(count)
}

test('is due after thirty days, goes on after a kill at any step, and leaves nothing of the workspace', async () => {
  const { db, appContext, workspaceId, filesFolder } = service
  const files = async () =>
    (await readdir(filesFolder, { recursive: true })).filter(
      (path) => /[0-9a-f]{64}$/.test(path) && path.includes(workspaceId),
    )
  expect((await tablesWithRows()).length).toBeGreaterThan(40)
  expect((await files()).length).toBeGreaterThan(0)
  expect(await roles()).toBe(1)
  const at = appContext.now()
  service.setNow(at)
  await deleteWorkspace(db, workspaceId, commandLine())
  const whole = await tablesWithRows()

  service.setNow(at + 30 * DAY - 1_000_000)
  await runWorker(removalWorker, appContext)
  expect(await tablesWithRows()).toEqual(whole)
  expect(db.sql`delete from relata.audit_log where workspace_id = ${workspaceId}`).rejects.toThrow(
    'Nothing in audit_log',
  )

  for (const [lock, statement] of STEPS) await killAt(lock, statement)
  expect((await listDeletedWorkspaces(db.sql)).map(({ isBeingRemoved }) => isBeingRemoved)).toEqual([true])
  expect(restoreWorkspace(db, workspaceId, commandLine())).rejects.toThrow('was not found')
  await endLease()
  const last = await startServiceProcess(service)
  await until(async () => (await listDeletedWorkspaces(db.sql)).length === 0)
  await last.kill()
  service.setNow()
  expect(await tablesWithRows()).toEqual([])
  expect(await schemas()).toEqual(['w_2'])
  expect([await files(), await roles()]).toEqual([[], 0])
  expect(await db.sql`select slug from relata.all_workspaces`).toHaveLength(1)
  const [entry] =
    await db.sql`select workspace_id, subject_name, details from relata.audit_log where action = 'workspace.removed'`
  expect(entry).toMatchObject({ workspace_id: null, subject_name: 'Workspace 1' })

  // The other workspace is as it was, but for the app.
  const { status, body } = await createClient(service.app, other.key)('POST', '/v2/objects/people/records/query', {})
  expect([status, body.data.length]).toEqual([200, 1])
  const grants = await db.sql`select from relata.grants where workspace_id = ${other.workspaceId}`
  expect(grants).toHaveLength(0)
  // Events that a process had not published yet hold up no others.
  const { unpublished } = outboxWriterOf(db)
  unpublished.add(workspaceId)
  await publishBatch(db, appContext.now, async () => {}).catch(() => {})
  await service.events()
  expect(unpublished.isEmpty()).toBe(true)
  // The account stays, so the next start makes no first workspace.
  expect(await hasAccounts(db)).toBe(true)
})

/** What makes each step wait, and the statement that waits then. */
const STEPS = [
  ['select from relata.apps for update', 'select%apps%for update'],
  ['lock table w_1.history in access share mode', 'drop table%history%'],
  ['select from relata.notes for update', '%delete from%notes%'],
  ['lock table relata.blobs in exclusive mode', '%delete from%call_recordings%'],
  ['select from relata.all_workspaces where number = 1 for update', 'delete from%all_workspaces%'],
] as const

/** Another process does so within seconds, and looks for removals within a minute. */
const endLease = () => service.db.sql`update relata.workspace_removals set due_at = now()`

/** Starts a process that continues the removal, and kills it when the statement waits for the lock. */
async function killAt(lock: string, statement: string): Promise<void> {
  await service.db.sql.begin(async (tx) => {
    await endLease()
    await tx.unsafe(lock)
    const child = await startServiceProcess(service)
    const waiting = () => service.db.sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query ilike ${statement}`
    await until(async () => (await waiting()).length > 0)
    await child.kill()
  })
}

async function relata(...words: string[]): Promise<[number, string]> {
  const environment = { DATABASE_URL: service.url, RELATA_DATA_DIR: service.filesFolder, ...SECRET_KEY_SETTING }
  const { exitCode, text } = await runRelata(words, environment)
  return [exitCode, text]
}

test('the commands delete, list, restore and remove; the slug stays taken until the removal', async () => {
  expect(await relata('workspace', 'delete', 'workspace-2')).toEqual([
    0,
    expect.stringMatching(
      /^Deleted the workspace workspace-2\.\nUntil \d{4}-\d\d-\d\d: .* workspace restore workspace-2$/,
    ),
  ])
  expect((await relata('workspace', 'delete', 'workspace-2'))[1]).toContain('is deleted already')
  expect((await relata('workspace', 'list'))[1]).toMatch(/Deleted: workspace-2, Workspace 2; it is removed on \d{4}/)
  const create = () => relata('workspace', 'create', 'workspace-2', '--name', 'New', '--admin', 'ada@example.com')
  expect(await create()).toEqual([1, expect.stringContaining('A deleted workspace has the slug "workspace-2"')])
  expect(await relata('workspace', 'restore', 'workspace-2')).toEqual([0, 'Restored the workspace workspace-2.'])
  expect((await relata('workspace', 'restore', 'workspace-2'))[1]).toContain('There is no deleted workspace')
  expect((await createClient(service.app, other.key)('GET', '/v2/self')).body.active).toBe(true)
  expect(await relata('workspace', 'delete', 'workspace-2', '--permanent')).toEqual([
    0,
    'Deleted the workspace workspace-2.\nRemoved the workspace workspace-2 for good.',
  ])
  expect(await schemas()).toEqual([])
  expect((await create())[0]).toBe(0)
})
