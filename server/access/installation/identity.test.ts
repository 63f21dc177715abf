import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '#db/connect'
import { testDatabase, type TestDatabase } from '#testing/database'
import { type Identity, isSameDatabase, publicAddress, readIdentity } from './identity'

const stored: Identity = { base_url: null, server: '7', database: '5/17000', data_file: null }
const A = 'https://a.example'
const B = 'https://b.example'

describe('isSameDatabase', () => {
  test.each<[string, Partial<Identity>, Partial<Identity>, boolean]>([
    ['a restart', {}, {}, true],
    ['a restart at a public address', { base_url: A }, { base_url: A }, true],
    ['the first public address', {}, { base_url: A }, true],
    ['another public address', { base_url: A }, { base_url: B }, false],
    ['a local start of a public database', { base_url: A }, {}, false],
    ['a dump restored on another server', {}, { server: '8', database: '5/18000' }, false],
    ['the same at the same address', { base_url: A }, { base_url: A, server: '8', database: '5/18000' }, false],
    ['a dump restored on another server with the same OIDs', {}, { server: '8' }, false],
    ['a dump restored in the same database', { base_url: A }, { base_url: A, database: '5/18000' }, false],
    ['a database made from it as a template', {}, { database: '6/17000' }, false],
    ['pg_upgrade at the same address', { base_url: A }, { base_url: A, server: '8' }, true],
    ['pg_upgrade and another address', { base_url: A }, { base_url: B, server: '8' }, false],
    ['a copied data folder', { data_file: '1' }, { data_file: '2' }, false],
    [
      'a copied data folder at the same address',
      { base_url: A, data_file: '1' },
      { base_url: A, data_file: '2' },
      false,
    ],
    ['a server that no longer gives its identifier', {}, { server: null }, true],
  ])('%s', (_, before, after, expected) => {
    expect(isSameDatabase({ ...stored, ...before }, { ...stored, ...after })).toBe(expected)
  })
})

test.each([
  ['http://localhost:8080', null],
  ['http://crm.localhost', null],
  ['http://127.0.0.1:9', null],
  ['http://[::1]:8080', null],
  ['https://crm.example.com', 'https://crm.example.com'],
  ['http://192.168.1.7:8080', 'http://192.168.1.7:8080'],
  ['https://localhost.example', 'https://localhost.example'],
])('the public address of %s', (baseUrl, expected) => expect(publicAddress(baseUrl)).toBe(expected))

describe('readIdentity', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await testDatabase()
  })
  afterAll(() => database.drop())
  const read = (clusterDirectory?: string, db = database.db) =>
    readIdentity(db.sql, { baseUrl: 'http://localhost:1', clusterDirectory })

  /** Reads the identity as a role that has no privileges but the use of the schema. */
  async function readAsPlainRole(): Promise<Identity> {
    const { sql } = database.db
    const role = `relata_plain_${crypto.randomUUID().slice(0, 8)}`
    await sql.unsafe(`create role ${role} login password 'plain'`)
    await sql.unsafe(`grant usage on schema relata to ${role}`)
    const url = new URL(database.url)
    Object.assign(url, { username: role, password: 'plain' })
    const plain = connect(url.href, { max: 1 })
    const identity = await read(undefined, plain)
    await plain.close()
    await sql.unsafe(`drop owned by ${role}`)
    await sql.unsafe(`drop role ${role}`)
    return identity
  }

  test('is the same for every role', async () => {
    const identity = await read()
    expect(identity).toEqual({
      base_url: null,
      server: expect.stringMatching(/^\d+$/),
      database: expect.stringMatching(/^\d+\/\d+$/),
      data_file: null,
    })
    expect(await readAsPlainRole()).toEqual(identity)
  })

  test('has no server when the role may not read its identifier', async () => {
    await database.db.sql`revoke execute on function pg_control_system() from public`
    expect((await readAsPlainRole()).server).toBeNull()
  })

  test('a moved data directory keeps its file, a copied one has another', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'relata-identity-'))
    const inFolder = (name: string) => join(folder, name)
    mkdirSync(inFolder('first'))
    writeFileSync(join(inFolder('first'), 'PG_VERSION'), '18\n')
    const { data_file } = await read(inFolder('first'))
    cpSync(inFolder('first'), inFolder('copied'), { recursive: true })
    renameSync(inFolder('first'), inFolder('moved'))
    expect((await read(inFolder('moved'))).data_file).toBe(data_file)
    expect((await read(inFolder('copied'))).data_file).not.toBe(data_file)
    rmSync(folder, { recursive: true })
  })
})
