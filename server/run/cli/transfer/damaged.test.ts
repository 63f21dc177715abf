/** Folders that are no longer what an export wrote, and workspaces that an import does not fill. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { SECRET_KEY_SETTING } from '#testing/database'
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installFakeCitus } from '#testing/fake-citus'
import { fileClient } from '#testing/files'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'
import { runCommandLine } from '#run/cli/run'
import type { Manifest } from './format'

const service = useTestService()
let root: string
let folder: string
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'relata-damaged-'))
  const record = await listClient(service).record()
  await fileClient(service).file(record, { content: 'some bytes' })
  const subscriptions = [{ event_type: 'record.created', filter: null }]
  await service.request('POST', '/v2/webhooks', { data: { target_url: 'https://example.com/x', subscriptions } })
  expect(await run('export', join(root, 'good'))).toEqual([0, expect.stringContaining('1 files')])
})
afterAll(() => rmSync(root, { recursive: true }))
beforeEach(() => {
  folder = mkdtempSync(join(root, 'damaged-'))
  cpSync(join(root, 'good'), folder, { recursive: true })
})

async function run(...words: string[]) {
  const lines: string[] = []
  const context = { print: (line: string) => lines.push(line), printError: (line: string) => lines.push(line) }
  const env = { ...SECRET_KEY_SETTING, DATABASE_URL: service.url, RELATA_FILES_DIR: service.filesFolder }
  const exitCode = await runCommandLine(words, env, context)
  return [exitCode, ...lines.slice(0, 1)]
}

const importAs = (slug: string) => run('import-workspace', folder, '--workspace', slug)

/** The import says this and leaves neither a workspace nor a schema nor bytes behind. */
async function expectRefusal(message: string | RegExp) {
  const found = () => service.db.sql<{ count: number }[]>`
    select (select count(*) from relata.workspaces) + (select count(*) from pg_namespace) + (select count(*) from relata.accounts) as count`
  const before = await found()
  const [code, line] = await importAs('refused')
  expect([code, line]).toEqual([1, expect.stringMatching(message)])
  expect([...(await found())]).toEqual([...before])
  const stored = await Array.fromAsync(service.appContext.blobs.bytes.list())
  expect(new Set(stored.map(({ workspaceId }) => workspaceId)).size).toBe(1)
}

const path = (name: string) => join(folder, name)
const readManifest = (): Manifest => JSON.parse(readFileSync(path('manifest.json'), 'utf8'))
const changeManifest = (change: (manifest: Manifest) => object) =>
  writeFileSync(path('manifest.json'), JSON.stringify(change(readManifest())))

/** Replaces the content of a file, and its checksum in the manifest. */
function rewrite(name: string, change: (text: string) => string | Uint8Array) {
  const content = Buffer.from(change(readFileSync(path(name), 'utf8')))
  writeFileSync(path(name), content)
  const sha256 = new Bun.CryptoHasher('sha256').update(content).digest('hex')
  changeManifest((manifest) => ({
    ...manifest,
    files: manifest.files.map((file) => (file.name === name ? { ...file, bytes: content.length, sha256 } : file)),
  }))
}

const withMember = (member: string, value: unknown) => (text: string) => {
  const [line = '', ...others] = text.split('\n')
  return [JSON.stringify({ ...JSON.parse(line), [member]: value }), ...others].join('\n')
}

test('a folder of an earlier version, with a member that it had and without later ones, is imported', async () => {
  rewrite('webhooks.ndjson', withMember('fingerprint', 'x'))
  rewrite('webhooks.ndjson', withMember('name', undefined))
  rmSync(path('deleted-entity-types.ndjson'))
  changeManifest(({ files, ...manifest }) => ({
    ...manifest,
    version: 1,
    files: files.filter(({ name }) => name !== 'deleted-entity-types.ndjson'),
  }))
  expect(await importAs('earlier')).toEqual([0, expect.stringContaining('Imported the workspace earlier')])
  const { id } =
    (await service.db.sql<{ id: string }[]>`select id from relata.workspaces where slug = 'earlier'`)[0] ?? {}
  for await (const key of service.appContext.blobs.bytes.list())
    if (key.workspaceId === id) await service.appContext.blobs.bytes.remove(key)
})

test('an undamaged folder is imported', async () => {
  expect(await importAs('good')).toEqual([0, expect.stringContaining('Imported the workspace good')])
  const { id } = (await service.db.sql<{ id: string }[]>`select id from relata.workspaces where slug = 'good'`)[0] ?? {}
  expect(await importAs('good')).toEqual([
    1,
    expect.stringContaining('The workspace good is not empty. It has: records, files'),
  ])
  for await (const key of service.appContext.blobs.bytes.list())
    if (key.workspaceId === id) await service.appContext.blobs.bytes.remove(key)
})

describe('the manifest', () => {
  test('a folder without one is an export that did not end', async () => {
    rmSync(path('manifest.json'))
    await expectRefusal('manifest.json: cannot be read')
  })
  test.each<[string, (manifest: Manifest) => object, string]>([
    ['of something else', () => ({}), 'this is no export of a workspace'],
    [
      'of a later version',
      (manifest) => ({ ...manifest, version: 3 }),
      'version 3; this service reads versions 1 and 2',
    ],
    ['without members', ({ format, version }) => ({ format, version }), 'manifest.json'],
    ['that lacks a file', ({ files, ...rest }) => ({ ...rest, files: files.slice(1) }), 'blobs.ndjson is not listed'],
    [
      'that lacks records',
      ({ files, ...rest }) => ({ ...rest, files: files.filter(({ name }) => name !== 'records/people.ndjson') }),
      'records/people.ndjson is not listed',
    ],
    [
      'with a logo of another kind',
      ({ workspace, ...rest }) => ({ ...rest, workspace: { ...workspace, logo_url: 'javascript:1' } }),
      '/workspace/logo_url',
    ],
    [
      'with an instant that does not exist',
      ({ workspace, ...rest }) => ({ ...rest, workspace: { ...workspace, created_at: 'now' } }),
      'This is no timestamp',
    ],
    ['with a file twice', ({ files, ...rest }) => ({ ...rest, files: [...files, ...files] }), 'listed twice'],
    ...[
      '../../../etc/passwd',
      '/etc/passwd',
      'records/../manifest.json',
      'records/a/b.ndjson',
      'a\u0000.ndjson',
      'x.ndjson',
    ].map((name): [string, (manifest: Manifest) => object, string] => [
      `that names ${JSON.stringify(name)}`,
      ({ files, ...rest }) => ({ ...rest, files: [...files, { ...files[0], name }] }),
      'manifest.json',
    ]),
  ])('%s', async (_, change, message) => {
    changeManifest(change)
    await expectRefusal(message)
  })
  test.each(['not JSON', '[]', 'null', '['.repeat(100_000)])('%#: other text', async (text) => {
    writeFileSync(path('manifest.json'), text)
    await expectRefusal('manifest.json: this is no')
  })
})

describe('a file', () => {
  test('changed, shortened or missing', async () => {
    const text = readFileSync(path('members.ndjson'), 'utf8')
    writeFileSync(path('members.ndjson'), text.replace('admin-1', 'admin-2'))
    await expectRefusal('members.ndjson: the content is not what the export wrote')
    writeFileSync(path('members.ndjson'), text.slice(1))
    await expectRefusal('members.ndjson: the file has not')
    rmSync(path('members.ndjson'))
    await expectRefusal('members.ndjson: cannot be read')
  })
  test('that is a symbolic link, or in a folder that is one', async () => {
    renameSync(path('members.ndjson'), join(root, 'elsewhere'))
    symlinkSync(join(root, 'elsewhere'), path('members.ndjson'))
    await expectRefusal('members.ndjson: cannot be read: this is no regular file')
    renameSync(join(root, 'elsewhere'), path('members.ndjson'))
    renameSync(path('records'), `${folder}-records`)
    symlinkSync(`${folder}-records`, path('records'))
    await expectRefusal('records is no folder')
  })
  test('of bytes that changed', async () => {
    const digest = new Bun.CryptoHasher('sha256').update('some bytes').digest('hex')
    writeFileSync(path(`files/${digest}`), 'same bytes')
    await expectRefusal(`files/${digest}: the checksum differs`)
    rmSync(path(`files/${digest}`))
    symlinkSync('/etc/passwd', path(`files/${digest}`))
    await expectRefusal(`files/${digest}: cannot be read`)
  })
  test('of bytes with a name that leaves the folder', async () => {
    rewrite('blobs.ndjson', withMember('digest', '../../../../etc/passwd'))
    await expectRefusal('blobs.ndjson, line 1: a line has a digest and a size')
  })
})

describe('a line', () => {
  test.each<[string, string, (text: string) => string | Uint8Array, string | RegExp]>([
    ['that is no JSON', 'records/people.ndjson', (text) => `${text}{"id":\n`, /records\/people.ndjson, line 2: .*JSON/],
    ['that is too deep', 'notes.ndjson', () => `${'['.repeat(200_000)}\n`, 'notes.ndjson, line 1'],
    ['that is no object', 'notes.ndjson', () => '[]\n', 'notes.ndjson, line 1: a line is a JSON object'],
    ['that is empty', 'members.ndjson', (text) => `\n${text}`, 'members.ndjson, line 1'],
    ['without a member', 'teams.ndjson', () => '{"id":"x"}\n', 'teams.ndjson, line 1: the member name is missing'],
    [
      'with a further member',
      'members.ndjson',
      withMember('role', 'x'),
      'members.ndjson, line 1: the member "role" is unknown',
    ],
    [
      'of another type',
      'actors.ndjson',
      withMember('number', '1; drop table x'),
      'actors.ndjson, line 1: invalid input syntax',
    ],
    [
      'of another type of attribute',
      'attributes.ndjson',
      withMember('type', 'colour'),
      'attributes.ndjson, line 1: the attribute type "colour" is unknown',
    ],
    ['with a negative number', 'attributes.ndjson', withMember('number', -5), 'attributes.ndjson, line 1: number is'],
    [
      'with a slug that is a path',
      'objects.ndjson',
      withMember('api_slug', '../x'),
      'line 1: the slug "../x" is invalid',
    ],
    [
      'with a picture that is a script',
      'members.ndjson',
      withMember('avatar_url', 'javascript:1'),
      'line 1: avatar_url',
    ],
    ['twice', 'members.ndjson', (text) => text + text, 'members.ndjson, line 2: duplicate key'],
    [
      'that is not UTF-8',
      'records/people.ndjson',
      () => Uint8Array.from([0x22, 0xff, 0x22, 0x0a]),
      'records/people.ndjson, line 1: the line is not UTF-8',
    ],
    [
      'with values of an unknown attribute',
      'records/people.ndjson',
      withMember('values', { colour: [value({})] }),
      'line 1: there is no attribute "colour"',
    ],
    [
      'with other members of a value',
      'records/people.ndjson',
      withMember('values', { job_title: [value({ x: 1 })] }),
      'line 1: a value of job_title has the members value',
    ],
    [
      'with two values of one',
      'records/people.ndjson',
      withMember('values', { job_title: [value({ value: 'a' }), value({ value: 'b' })] }),
      'job_title has one value at most',
    ],
    [
      'with another instant',
      'records/people.ndjson',
      withMember('created_at', 'yesterday'),
      'records/people.ndjson, line 1: /created_at',
    ],
    [
      'with an impossible instant',
      'records/people.ndjson',
      withMember('created_at', '2024-99-01T00:00:00.000000000Z'),
      'records/people.ndjson, line 1',
    ],
    [
      'that names a missing row',
      'team-members.ndjson',
      () => '{"team_id":"11111111-1111-4111-8111-111111111111","member_id":"11111111-1111-4111-8111-111111111111"}\n',
      /team-members.ndjson, line 1: .*foreign key/,
    ],
    [
      'with NUL',
      'records/people.ndjson',
      withMember('values', { job_title: [value({ value: 'a\u0000' })] }),
      'records/people.ndjson, line 1',
    ],
    [
      'with an address that is none',
      'members.ndjson',
      withMember('account_email_address', 5),
      'members.ndjson, line 1: account_email_address',
    ],
  ])('%s', async (_, file, change, message) => {
    rewrite(file, change)
    await expectRefusal(message)
  })

  test('that is too long', async () => {
    rewrite('records/people.ndjson', (text) => text + 'x'.repeat(129 * 1024 * 1024))
    await expectRefusal('records/people.ndjson, line 2: the line is longer than')
  })
})

const value = (members: object) => ({
  active_from: '2024-01-01T00:00:00.000000000Z',
  active_until: null,
  actor: 0,
  value: members,
})

describe('the command', () => {
  test.each([
    [['import-workspace'], '<folder> is missing'],
    [['import-workspace', '/nowhere', '--workspace', 'A b'], 'manifest.json: cannot be read'],
    [['export'], '<folder> is missing'],
    [['export', '/dev/null/x', '--workspace', 'workspace-1'], 'cannot be written'],
    [['export', '/dev/null/x'], 'Name the workspace'],
  ])('%p', async (words, message) => {
    const [code, line] = await run(...words)
    expect([code === 0, line]).toEqual([false, expect.stringContaining(message)])
  })
  test.each(['', 'A', 'a b', '../x', 'a--b', 'x'.repeat(61), `w'; drop`])('refuses the slug %p', async (slug) => {
    expect(await importAs(slug)).toEqual([2, expect.stringContaining('--workspace is a slug')])
  })
})

/** Makes the first attribute of the folder that can have a formula a computed one. */
const withComputed =
  (computed: unknown, stored_in: 'formula' | 'worker' = 'formula') =>
  (text: string) => {
    const lines = text.split('\n').map((line) => (line === '' ? undefined : JSON.parse(line)))
    const attribute = lines.find((line) => line?.api_slug === 'job_title')
    const own = JSON.parse(JSON.stringify(computed).replaceAll('"self"', JSON.stringify(attribute.id)))
    Object.assign(attribute, { stored_in, is_writable: false, computed: own })
    return lines.map((line) => (line === undefined ? '' : JSON.stringify(line))).join('\n')
  }

test.each([
  ['a formula in another form', { formula: "'x'" }, /computed is the formula of an attribute/],
  [
    'a formula with other SQL behind it',
    { formula: ["'x'); drop table relata.notes; select ('y'"] },
    /a formula is not valid/,
  ],
  [
    'a formula that ends its block',
    { formula: ['1); end; perform pg_sleep(9); begin perform (1'] },
    /a formula is not valid/,
  ],
  [
    'a formula over a function that is not allowed',
    { formula: ["pg_read_file('/etc/passwd')"] },
    /a formula is not valid/,
  ],
  ['a stored formula of the clock', { formula: ['now()::text'] }, /is stored and reads the clock/],
  ['a formula that names itself', { formula: [{ attribute: 'self' }] }, /depends on itself/],
])('%s is refused', async (_, computed, message) => {
  rewrite('attributes.ndjson', withComputed(computed))
  await expectRefusal(message)
})

const NOWHERE = '00000000-0000-4000-8000-000000000000'

test.each([
  ['a look-up in another form', { lookup: ['company', 'name'] }, /computed is a look-up or a rollup/],
  ['a look-up of nothing', { lookup: { reference: NOWHERE, attribute: NOWHERE } }, /a look-up or rollup is not valid/],
  [
    'a look-up that names itself',
    { lookup: { reference: 'self', attribute: 'self' } },
    /a look-up or rollup is not valid/,
  ],
  ['a rollup through nothing', { rollup: { through: NOWHERE, function: 'count' } }, /a look-up or rollup is not valid/],
  ['a rollup through a text', { rollup: { through: 'self', function: 'count' } }, /a look-up or rollup is not valid/],
  ['an unknown function', { rollup: { through: 'self', function: 'drop' } }, /computed is a look-up or a rollup/],
])('%s is refused', async (_, computed, message) => {
  rewrite('attributes.ndjson', withComputed(computed, 'worker'))
  await expectRefusal(message)
})

test('a formula with tracked changes is refused where Citus distributes the database', async () => {
  await installFakeCitus(service.db.sql)
  rewrite('attributes.ndjson', withComputed({ formula: ["'a'"] }))
  await expectRefusal(/no formulas with tracked changes.*: people\.\w+\.$/)
})
