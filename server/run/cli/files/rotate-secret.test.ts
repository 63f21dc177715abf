import { beforeAll, expect, test } from 'bun:test'
import { signDownload } from '#api/http/signed-downloads/sign-download'
import { encryptedPrefix } from '#db/secret-keys'
import { SECRET_KEY_SETTING } from '#testing/database'
import { fileClient } from '#testing/files'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'
import { runRelata } from '#testing/command-line'

const service = useTestService()
const files = fileClient(service)
let id: string

beforeAll(async () => {
  id = await files.file(await listClient(service).record(), { content: 'abc' })
})

async function relata(words: string[], settings: Record<string, string> = SECRET_KEY_SETTING) {
  const { exitCode, text } = await runRelata(words, { DATABASE_URL: service.url, ...settings })
  return [exitCode, text] as const
}

const statusOf = async (path: string) => (await service.request('GET', path, undefined, { key: null })).status

const storedSecrets = async () =>
  service.db.sql<{ slug: string; secret: string; download_secret: string | null }[]>`
    select slug, secret, download_secret from relata.workspaces order by number`

test('files rotate-secret ends the signed addresses of all workspaces, or of one, and nothing else', async () => {
  const other = await service.anotherWorkspace()
  const [blob] = await service.db.sql<{ digest: string }[]>`select encode(digest, 'hex') as digest from relata.blobs`
  const download = { fileName: 'a.mp4', type: 'video/mp4', digest: Buffer.from(blob?.digest ?? '', 'hex') }
  const sign = (workspaceId: string) => signDownload(service.appContext, { ...download, workspaceId }, 3600)
  const [before, video] = [await files.url(id), await sign(service.workspaceId)]
  expect([await statusOf(before), await statusOf(video)]).toEqual([200, 200])
  const [first, second] = await storedSecrets()
  const ended = [first, second].map((workspace) => `The signed addresses of ${workspace?.slug} have ended.`)
  expect(await relata(['files', 'rotate-secret'])).toEqual([0, ended.join('\n')])
  expect([await statusOf(before), await statusOf(video)]).toEqual([404, 404])
  const after = await files.url(id)
  expect(await statusOf(after)).toBe(200)
  expect(await relata(['files', 'rotate-secret', '--workspace', second?.slug ?? ''])).toEqual([0, ended[1] ?? ''])
  expect(await statusOf(after)).toBe(200)
  const rotated = await storedSecrets()
  expect(rotated.map(({ secret }) => secret)).toEqual([first?.secret ?? '', second?.secret ?? ''])
  for (const { download_secret } of rotated) expect(download_secret).toStartWith(encryptedPrefix())
  const entries = await service.db.sql`
    select workspace_id, actor_id from relata.audit_log where action = 'workspace.download-secret-rotated' order by id`
  expect(entries.map((entry) => [entry.workspace_id, entry.actor_id])).toEqual([
    [service.workspaceId, 'command-line'],
    [other.workspaceId, 'command-line'],
    [other.workspaceId, 'command-line'],
  ])
})

test('the new secret is encrypted with another key by secrets rotate, and given up by secrets reset', async () => {
  const url = await files.url(id)
  const second = Buffer.alloc(32, 'second').toString('base64')
  const both = { RELATA_SECRET_KEY: `${second} ${SECRET_KEY_SETTING.RELATA_SECRET_KEY}` }
  const before = await storedSecrets()
  expect((await relata(['secrets', 'rotate'], both))[0]).toBe(0)
  for (const [index, { download_secret }] of (await storedSecrets()).entries())
    expect(download_secret).not.toBe(before[index]?.download_secret ?? '')
  const [code, text] = await relata(['files', 'rotate-secret'])
  expect([code, text]).toEqual([1, expect.stringContaining('The secrets are encrypted with the key')])
  const back = { RELATA_SECRET_KEY: `${SECRET_KEY_SETTING.RELATA_SECRET_KEY} ${second}` }
  expect((await relata(['secrets', 'rotate'], back))[0]).toBe(0)
  expect(await statusOf(url)).toBe(200)
  expect((await relata(['secrets', 'reset', '--give-up']))[0]).toBe(0)
  expect((await storedSecrets()).map(({ download_secret }) => download_secret)).toEqual([null, null])
  expect(await statusOf(url)).toBe(404)
})

test('files rotate-secret needs the secret key, and a workspace that exists', async () => {
  expect(await relata(['files', 'rotate-secret'], {})).toEqual([1, expect.stringContaining('Set RELATA_SECRET_KEY')])
  expect(await relata(['files', 'rotate-secret', '--workspace', 'absent'])).toEqual([
    1,
    expect.stringContaining('There is no workspace "absent"'),
  ])
})
