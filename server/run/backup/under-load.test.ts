/** A backup that is taken while requests write. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommandLine } from '#run/cli/run'
import { emptyTestDatabase, SECRET_KEY_SETTING, type TestDatabase } from '#testing/database'
import { fileClient } from '#testing/files'
import { useTestService } from '#testing/use-service'

const service = useTestService()
let restored: TestDatabase
let root: string
beforeAll(async () => {
  restored = await emptyTestDatabase()
  root = mkdtempSync(join(tmpdir(), 'relata-under-load-'))
})
afterAll(async () => {
  await restored.drop()
  rmSync(root, { recursive: true, force: true })
})

async function send(method: string, path: string, data?: object) {
  const { status, body } = await service.request(method, path, data === undefined ? undefined : { data })
  expect([path, status < 300]).toEqual([path, true])
  return body.data
}

const createPerson = async (name: string): Promise<string> =>
  (await send('POST', '/v2/objects/people/records', { values: { email_addresses: [`${name}@example.com`] } })).id
    .record_id

/** Writes of each kind, by one caller: records, entries, a merge, files of which one is deleted. */
async function writeRound(list: string, name: string): Promise<void> {
  const { file } = fileClient(service)
  const first = await createPerson(`${name}-a`)
  const second = await createPerson(`${name}-b`)
  for (const record of [first, second]) {
    await send('POST', `/v2/lists/${list}/entries`, {
      parent_object: 'people',
      parent_record_id: record,
      entry_values: {},
    })
    await file(record, { content: `of ${name}` })
  }
  const deleted = await file(second, { content: `deleted ${name}` })
  await send('DELETE', `/v2/files/${deleted}`)
  await send('POST', '/v2/objects/people/records/merge', { primary_record_id: first, secondary_record_id: second })
}

const WRITERS = 4

test('restores into a database that passes all checks', async () => {
  const access = { workspace_access: 'full-access', workspace_member_access: [] }
  const list = await send('POST', '/v2/lists', { name: 'L', api_slug: 'l', parent_object: 'people', ...access })
  const place = join(root, 'backups')
  const problems: string[] = []
  const relata = (words: readonly string[], environment: Record<string, string>) =>
    runCommandLine(words, environment, { print: () => {}, printError: (line) => problems.push(line) })
  const source = { ...SECRET_KEY_SETTING, DATABASE_URL: service.url, RELATA_FILES_DIR: service.filesFolder }
  const ended = new AbortController()
  const write = async (writer: number) => {
    let rounds = 0
    do await writeRound(list.api_slug, `w${writer}-${rounds++}`)
    while (!ended.signal.aborted)
    return rounds
  }
  const backup = async () => {
    // Every writer has written before, and goes on until the backup ended.
    await writeRound(list.api_slug, 'before')
    const exitCode = await relata(['backup', place], source)
    ended.abort()
    return exitCode
  }
  const [exitCode, ...rounds] = await Promise.all([backup(), ...Array.from({ length: WRITERS }, (_, n) => write(n))])
  expect([exitCode, rounds.every((count) => count > 0)]).toEqual([0, true])

  const target = { ...SECRET_KEY_SETTING, DATABASE_URL: restored.url, RELATA_FILES_DIR: join(root, 'files') }
  expect([await relata(['restore', place], target), problems]).toEqual([0, []])
  expect(await relata(['check'], target)).toBe(0)
  expect(await relata(['files', 'check'], target)).toBe(0)
  expect(problems).toEqual([])
  const [{ merges }] = await restored.db.sql<[{ merges: number }]>`select count(*)::int as merges from w_1.merges`
  expect(merges).toBeGreaterThan(0)
  const [{ lost }] = await restored.db.sql<[{ lost: number }]>`
    select count(*)::int as lost from relata.files f where f.file_type = 'file' and not exists (
      select from relata.blobs b where b.workspace_id = f.workspace_id and b.digest = f.blob_digest and b.references_count > 0)`
  expect(lost).toBe(0)
})
