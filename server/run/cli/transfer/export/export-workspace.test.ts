import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testService, type TestService } from '#testing/service'
import { CommandError } from '#run/cli/command'
import { exportWorkspace } from './export-workspace'

let service: TestService
let root: string
beforeAll(async () => {
  service = await testService()
  root = mkdtempSync(join(tmpdir(), 'relata-export-'))
})
afterAll(async () => {
  rmSync(root, { recursive: true, force: true })
  await service.close()
})

test('a folder that can no longer be written ends the export with a message', async () => {
  const folder = join(root, 'export')
  const begin = (name: string) => {
    if (name !== 'files') return
    rmSync(folder, { recursive: true })
    writeFileSync(folder, '')
  }
  const progress = { begin, add() {}, done() {} }
  const { db, blobs, now } = service.appContext
  const exported = exportWorkspace({ db, blobs, now, workspaceId: service.workspaceId, folder, progress })
  const error = await exported.catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(CommandError)
  expect(String(error)).toContain(`The export did not end: the folder ${folder} cannot be written: ENOTDIR. Delete it.`)
})
