/** The drill of an operator: the backup that a running service made by itself is restored into a second service. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyDatabase, freshDatabase, type FreshDatabase } from '../../support/service/database'
import { keyIn, type RunningProcess, SECRET_KEY, startProcess } from '../../support/service/start'
import { until } from '../../support/until'

const ROOT = join(import.meta.dir, '../../..')

let root: string
const databases: FreshDatabase[] = []
const running: RunningProcess[] = []
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'relata-drill-'))
})
afterAll(async () => {
  for (const process of running) await process.kill()
  for (const database of databases) await database.drop()
  rmSync(root, { recursive: true, force: true })
})

/** The settings of one of the two services. The schedule and the pass phrase are those of both. */
function settingsOf(name: string, { url }: FreshDatabase) {
  return {
    DATABASE_URL: url,
    RELATA_FILES_DIR: join(root, name),
    RELATA_BASE_URL: `https://${name}.example.com`,
    RELATA_METRICS: '1',
    RELATA_BACKUP_TO: join(root, 'backups'),
    RELATA_BACKUP_PASSPHRASE: 'correct horse battery staple',
  }
}

async function start(settings: Readonly<Record<string, string>>): Promise<RunningProcess> {
  const process = await startProcess(settings)
  running.push(process)
  return process
}

const lastBackup = async ({ url }: RunningProcess) =>
  Number(
    /^relata_backup_last_success_timestamp_seconds ([\d.]+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1],
  )

/** Runs a command of `bun relata`. */
async function command(settings: Readonly<Record<string, string>>, ...words: string[]): Promise<number> {
  const child = Bun.spawn([process.execPath, 'server/run/cli/main.ts', ...words], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...SECRET_KEY, ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return child.exited
}

test('the scheduled backup of a killed service is read over the API of another one', async () => {
  const original = await freshDatabase()
  databases.push(original)
  const before = settingsOf('original', original)
  // The first backup is due at the start, before the records of this test are there.
  const { RELATA_BACKUP_TO: _place, ...without } = before
  const first = await start(without)
  const key = keyIn(first.output())
  const call = async ({ url }: RunningProcess, method: string, path: string, body?: BodyInit, type?: string) => {
    const headers = { Authorization: `Bearer ${key}`, ...(type !== undefined && { 'Content-Type': type }) }
    const response = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) })
    expect([path, response.ok]).toEqual([path, true])
    return response
  }
  const values = { values: { name: 'Acme', domains: ['acme.com'] } }
  const created = await call(
    first,
    'POST',
    '/v2/objects/companies/records',
    JSON.stringify({ data: values }),
    JSON_TYPE,
  )
  const { record_id } = (await created.json()).data.id
  const form = new FormData()
  form.set('object', 'companies')
  form.set('record_id', record_id)
  form.set('file', new File(['the bytes of a file'], 'a.txt'))
  const { file_id } = (await (await call(first, 'POST', '/v2/files/upload', form)).json()).data.id
  expect(await first.stop()).toBe(0)

  const second = await start(before)
  await until(async () => (await lastBackup(second)) > 0, { why: () => second.output() })
  await second.kill()

  const empty = await emptyDatabase()
  databases.push(empty)
  const after = settingsOf('restored', empty)
  expect(await command(after, 'restore', join(root, 'backups'))).toBe(0)
  const restored = await start(after)
  const record = await (await call(restored, 'GET', `/v2/objects/companies/records/${record_id}`)).json()
  expect(record.data.values.name[0].value).toBe('Acme')
  const download = await fetch(`${restored.url}/v2/files/${file_id}/download`, {
    headers: { Authorization: `Bearer ${key}` },
    redirect: 'manual',
  })
  const bytes = await fetch(restored.url + new URL(download.headers.get('location') ?? '').pathname)
  expect(await bytes.text()).toBe('the bytes of a file')
  // It may be a copy, so it makes no backup in the place of the original.
  expect(restored.output()).toContain('are held')
  expect(restored.output()).not.toContain('Wrote the backup')
  expect(await restored.stop()).toBe(0)
})

const JSON_TYPE = 'application/json'
