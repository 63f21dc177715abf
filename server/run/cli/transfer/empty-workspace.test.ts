/** Imports into a workspace of a first start, which has an admin and an API key. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { taskInput } from '#testing/tasks'
import { SECRET_KEY_SETTING } from '#testing/database'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createToken } from '#access/tokens/tokens'
import { listClient } from '#testing/lists'
import { testService, type TestService, type TestWorkspace } from '#testing/service'
import { startCommand } from '#testing/child-process'
import { until } from '#testing/until'
import { runCommandLine } from '#run/cli/run'

let service: TestService
let folder: string
beforeAll(async () => {
  service = await testService()
  folder = join(mkdtempSync(join(tmpdir(), 'relata-empty-')), 'export')
  await listClient(service).record()
  await run('export', folder, '--workspace', 'workspace-1')
})
afterAll(async () => {
  rmSync(join(folder, '..'), { recursive: true })
  await service.close()
})

async function run(...words: string[]) {
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)
  const env = { ...SECRET_KEY_SETTING, DATABASE_URL: service.url, RELATA_FILES_DIR: service.filesFolder }
  return [await runCommandLine(words, env, { print, printError: print }), ...lines]
}

const importInto = (slug: string) => run('import-workspace', folder, '--workspace', slug)
const slugOf = async ({ workspaceId }: TestWorkspace) =>
  (await service.db.sql<{ slug: string }[]>`select slug from relata.workspaces where id = ${workspaceId}`)[0]?.slug ??
  ''
const membersOf = async ({ key }: TestWorkspace) =>
  (await service.request('GET', '/v2/workspace_members', undefined, { key })).body.data
const peopleOf = async (key: string) =>
  (await service.request('POST', '/v2/objects/people/records/query', {}, { key })).body.data

test('the workspace keeps its id, its admin and its key, and gets the members and records of the export', async () => {
  const target = await service.anotherWorkspace()
  expect((await importInto(await slugOf(target)))[0]).toBe(0)
  const emails = (await membersOf(target)).map(({ email_address }: { email_address: string }) => email_address)
  expect(emails.toSorted()).toEqual(['admin-1@example.com', target.member.email_address])
  const [record] = await peopleOf(target.key)
  const [original] = await peopleOf(service.key)
  expect(record.values).toEqual(original.values)
  const created = await service.request(
    'POST',
    '/v2/objects/people/records',
    { data: { values: { job_title: 'Written afterwards' } } },
    { key: target.key },
  )
  expect([created.status, created.body.data.id.workspace_id]).toEqual([200, target.workspaceId])
  const [, ...actors] = await service.db.sql<{ number: number; top: number }[]>`
    select a.number, w.last_number as top from relata.actors a join relata.workspaces w on w.id = a.workspace_id
    where w.id = ${target.workspaceId}`
  expect(actors.filter(({ number, top }) => number > top)).toEqual([])
})

test('an admin with the address of an exported member becomes this member and stays admin, with the key', async () => {
  const target = await service.anotherWorkspace()
  const { sql } = service.db
  await sql`update relata.workspace_members set email_address = 'Admin-1@example.com' where id = ${target.member.id}`
  const { token } = await createToken(service.db, {
    workspaceId: target.workspaceId,
    name: 'Second',
    scopes: ['record_permission:read', 'object_configuration:read'],
    authorizedBy: target.member.id,
    now: service.appContext.now(),
  })
  expect((await importInto(await slugOf(target)))[0]).toBe(0)
  expect(
    (await membersOf(target)).map(({ id }: { id: { workspace_member_id: string } }) => id.workspace_member_id),
  ).toEqual([service.member.id])
  expect(await peopleOf(token)).toHaveLength(1)
})

test('an import that is killed leaves no workspace, and can be run again', async () => {
  const { sql } = service.db
  const found = () => sql<{ count: number }[]>`
    select (select count(*) from relata.workspaces) + (select count(*) from pg_namespace where nspname like 'w%') as count`
  const before = [...(await found())]
  const isWaiting = async () =>
    (await sql`select 1 from pg_locks where relation = 'relata.audit_log'::regclass and not granted`).length > 0
  await sql.begin(async (tx) => {
    await tx`lock table relata.audit_log in exclusive mode`
    const command = startCommand(service, ['import-workspace', folder, '--workspace', 'killed'])
    await until(isWaiting)
    await command.kill()
  })
  const isOver = async () => {
    const running = await sql`
      select 1 from pg_stat_activity where query like '%relata.audit_log%' and state <> 'idle'
        and datname = current_database() and pid <> pg_backend_pid()`
    return running.length === 0
  }
  await until(isOver)
  expect([...(await found())]).toEqual(before)
  expect((await importInto('killed'))[0]).toBe(0)
})

test.each([
  [
    'records',
    (key: string) => service.request('POST', '/v2/objects/people/records', { data: { values: {} } }, { key }),
  ],
  ['tasks', (key: string) => service.request('POST', '/v2/tasks', { data: taskInput() }, { key })],
  ['custom objects', (key: string) => service.request('POST', '/v2/objects', { data: object }, { key })],
])('refuses a workspace with %s', async (name, fill) => {
  const target = await service.anotherWorkspace()
  expect((await fill(target.key)).status).toBe(200)
  const slug = await slugOf(target)
  const before = await membersOf(target)
  const [code, line] = await importInto(slug)
  expect([code, line]).toEqual([1, expect.stringContaining(`The workspace ${slug} is not empty. It has: `)])
  expect(line).toContain(name)
  expect(await membersOf(target)).toEqual(before)
})

const object = { api_slug: 'ships', singular_noun: 'Ship', plural_noun: 'Ships' }
