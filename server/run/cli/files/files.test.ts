import { expect, test } from 'bun:test'
import { deleteUnreferenced } from '#crm/blobs/blob-store'
import { fileClient } from '#testing/files'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'
import { runCommandLine } from '#run/cli/run'

const service = useTestService()

async function check(...words: string[]) {
  const lines: string[] = []
  const context = { print: (line: string) => lines.push(line), printError: (line: string) => lines.push(line) }
  const env = { DATABASE_URL: service.url, RELATA_FILES_DIR: service.filesFolder }
  const exitCode = await runCommandLine(['files', 'check', ...words], env, context)
  return [exitCode, ...lines]
}

const GOOD = [0, 'All files are as they should be.']

test('finds lost bytes, and bytes without a file, which the repair lets the worker delete', async () => {
  const { blobs, db } = service.appContext
  const record = await listClient(service).record()
  await fileClient(service).file(record)
  expect(await check()).toEqual(GOOD)

  const surplus = await blobs.save(service.workspaceId, await blobs.receive(bytesOf('surplus'), 100))
  await db.sql`delete from relata.blobs where digest = ${surplus.digest}`
  expect(await check()).toEqual([1, expect.stringContaining('belong to no file.'), '1 problems remain.'])
  expect((await check('--repair')).at(-1)).toBe(GOOD[1] ?? '')
  await deleteUnreferenced(service.appContext, 0)
  expect([await blobs.bytes.findSize(surplus), await check()]).toEqual([undefined, GOOD])

  const elsewhere = { ...surplus, workspaceId: '11111111-1111-4111-8111-111111111111' }
  await blobs.bytes.publish(elsewhere, (await blobs.receive(bytesOf('surplus'), 100)).path)
  await check('--repair')
  expect(await blobs.bytes.findSize(elsewhere)).toBeUndefined()

  for await (const key of blobs.bytes.list()) await blobs.bytes.remove(key)
  expect(await check('--repair')).toEqual([
    1,
    expect.stringContaining('which 1 files need, are lost.'),
    '1 problems remain.',
  ])
})

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
