import { beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SecretRow } from '#db/connect'
import { encryptPlainSecrets, refuseWrongKeys, rotateSecrets } from '#db/encrypted-columns'
import { createSecretCipher, openSecretKeys, parseSecretKeys, secretKeyFile, type SecretKeys } from '#db/secret-keys'
import { SECRET_KEY_SETTING } from '#testing/database'
import { testService } from '#testing/service'
import { useTestService } from '#testing/use-service'
import { runRelata } from '#testing/command-line'

/** The keys in the order in which the test uses them; the first is that of the test service. */
const [FIRST, SECOND, THIRD] = [
  SECRET_KEY_SETTING.RELATA_SECRET_KEY,
  Buffer.alloc(32, 'second').toString('base64'),
  Buffer.alloc(32, 'third').toString('base64'),
] as const
const WEBHOOK = {
  data: { target_url: 'https://receiver.example/hook', subscriptions: [{ event_type: 'note.created', filter: null }] },
}

const service = useTestService()
let webhook: { id: { webhook_id: string }; secret: string }
let row: SecretRow

beforeAll(async () => {
  const headers = { headers: { 'Idempotency-Key': 'one' } }
  const { body } = await service.request('POST', '/v2/webhooks', WEBHOOK, headers)
  webhook = body.data
  row = { table: 'webhooks', key: [service.workspaceId, webhook.id.webhook_id] }
})

const keysOf = (...keys: string[]): SecretKeys =>
  openSecretKeys({ configured: parseSecretKeys(keys.join(' ')), dataDir: undefined })

async function relata(
  words: string[],
  settings: Record<string, string> = SECRET_KEY_SETTING,
): Promise<[number, string]> {
  const { exitCode, text } = await runRelata(words, { DATABASE_URL: service.url, ...settings })
  return [exitCode, text]
}

const storedSecret = async (): Promise<string> =>
  (
    await service.db.sql<{ secret: string }[]>`select secret from relata.webhooks where id = ${webhook.id.webhook_id}`
  )[0]?.secret ?? ''

/** All rows of all control tables, as text. */
async function allRows(): Promise<string> {
  const tables = await service.db.sql<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'relata'`
  const rows = await Promise.all(tables.map(({ name }) => service.db.sql.unsafe(`select t::text from ${name} t`)))
  return JSON.stringify(rows)
}

describe('a stored secret', () => {
  test('is in no table as plain text, nor in the stored answer of an idempotent request', async () => {
    expect(await allRows()).not.toContain(webhook.secret)
    expect(service.db.secrets.decrypt(row, await storedSecret())).toBe(webhook.secret)
  })

  test('is read by a retry of the request that made it', async () => {
    const { status, body } = await service.request('POST', '/v2/webhooks', WEBHOOK, {
      headers: { 'Idempotency-Key': 'one' },
    })
    expect([status, body.data.secret]).toEqual([200, webhook.secret])
  })

  test('belongs to its row: elsewhere, changed or plain it is refused', async () => {
    const stored = await storedSecret()
    const { decrypt } = service.db.secrets
    expect(() => decrypt({ ...row, key: [service.workspaceId, service.workspaceId] }, stored)).toThrow()
    expect(() => decrypt({ ...row, table: 'workspaces' }, stored)).toThrow()
    expect(() => decrypt(row, `${stored.slice(0, -4)}AAAA`)).toThrow()
    expect(() => decrypt(row, 'plain')).toThrow('is not encrypted')
  })
})

describe('the key', () => {
  test.each(['', 'short', 'a'.repeat(63), `${'A'.repeat(42)}!=`, `${FIRST} x`])('%p is refused', async (key) => {
    const [code, text] = await relata(['key', 'list'], { RELATA_SECRET_KEY: key || ' , ' })
    expect([code, text]).toEqual([1, expect.stringContaining('RELATA_SECRET_KEY must be 32 random bytes in base64')])
    if (key.length > 10) expect(text).not.toContain(key)
  })

  test('another one is refused before anything is written', async () => {
    const before = await allRows()
    const [code, text] = await relata(['key', 'list'], { RELATA_SECRET_KEY: SECOND })
    expect([code, text]).toEqual([
      1,
      expect.stringMatching(
        /^The secrets are encrypted with the key [0-9a-f]{16}, which RELATA_SECRET_KEY does not have/,
      ),
    ])
    expect(await allRows()).toBe(before)
  })

  test('is needed by the service, and by a command that stores a secret', async () => {
    const none = openSecretKeys({ configured: undefined, dataDir: undefined })
    await expect(refuseWrongKeys(service.db, none, true)).rejects.toThrow('Set RELATA_SECRET_KEY')
    expect((await relata(['key', 'list'], {}))[0]).toBe(0)
    expect(await relata(['secrets', 'rotate'], {})).toEqual([1, expect.stringContaining('RELATA_SECRET_KEY')])
  })

  test('a check value that the key does not decrypt is refused', async () => {
    const [saved] = await service.db.sql`select check_value from relata.secret_keys`
    await service.db.sql`update relata.secret_keys set check_value = 'enc1.x.AAAA'`
    expect((await relata(['key', 'list']))[0]).toBe(1)
    await service.db.sql`update relata.secret_keys set check_value = ${saved?.check_value}`
    expect((await relata(['key', 'list']))[0]).toBe(0)
  })

  test('of an embedded database is made once, for its owner only', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'relata-secret-'))
    const file = secretKeyFile(folder)
    const other = await testService()
    try {
      await other.db.sql`delete from relata.secret_keys`
      await other.db.sql`update relata.workspaces set secret = 'plain'`
      const keys = openSecretKeys({ configured: undefined, dataDir: folder })
      await encryptPlainSecrets(other.db, keys)
      const made = readFileSync(file, 'utf8')
      expect([statSync(file).mode & 0o777, made.trim()]).toEqual([0o600, expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/)])
      const [workspace] = await other.db.sql<{ secret: string }[]>`select secret from relata.workspaces`
      const cipher = createSecretCipher(keys)
      expect(cipher.decrypt({ table: 'workspaces', key: [other.workspaceId] }, workspace?.secret ?? '')).toBe('plain')
      await encryptPlainSecrets(other.db, keys)
      expect(readFileSync(file, 'utf8')).toBe(made)
      rmSync(file)
      await expect(refuseWrongKeys(other.db, keys, true)).rejects.toThrow(`which ${file} does not have`)
      expect(existsSync(file)).toBe(false)
      writeFileSync(file, 'damaged')
      await expect(refuseWrongKeys(other.db, keys, true)).rejects.toThrow(`The keys in ${file} cannot be read`)
    } finally {
      await other.close()
      rmSync(folder, { recursive: true })
    }
  })
})

describe('secrets rotate', () => {
  test('needs a new key before the one in use', async () => {
    expect(await relata(['secrets', 'rotate'])).toEqual([1, expect.stringContaining('Put a new key before it')])
  })

  test('encrypts everything with the new key; a process with both keys goes on', async () => {
    const running = createSecretCipher(keysOf(SECOND, FIRST))
    const [code, text] = await relata(['secrets', 'rotate'], { RELATA_SECRET_KEY: `${SECOND} ${FIRST}` })
    expect([code, text]).toEqual([0, expect.stringContaining('Set RELATA_SECRET_KEY to this key alone')])
    const stored = await storedSecret()
    expect(running.decrypt(row, stored)).toBe(webhook.secret)
    expect(createSecretCipher(keysOf(SECOND)).decrypt(row, stored)).toBe(webhook.secret)
    expect(() => createSecretCipher(keysOf(FIRST)).decrypt(row, stored)).toThrow('is encrypted with the key')
    expect((await relata(['key', 'list'], { RELATA_SECRET_KEY: SECOND }))[0]).toBe(0)
    expect((await relata(['key', 'list'], { RELATA_SECRET_KEY: FIRST }))[0]).toBe(1)
    const written = await running.encrypt(service.db.sql, row, 'new')
    expect(createSecretCipher(keysOf(SECOND)).decrypt(row, written)).toBe('new')
  })

  test('goes on after an interruption', async () => {
    const both = keysOf(THIRD, SECOND)
    await service.db.sql`
      create function refuse() returns trigger language plpgsql as 'begin raise exception ''interrupted''; end'`
    await service.db.sql`create trigger refuse before update on relata.webhooks for each row execute function refuse()`
    await expect(rotateSecrets(service.db, both)).rejects.toThrow('interrupted')
    await service.db.sql`drop function refuse cascade`
    const read = async (keys: SecretKeys) => createSecretCipher(keys).decrypt(row, await storedSecret())
    expect(await read(both)).toBe(webhook.secret)
    // Until it has ended, the old key is needed.
    expect((await relata(['key', 'list'], { RELATA_SECRET_KEY: THIRD }))[0]).toBe(1)
    await rotateSecrets(service.db, both)
    expect(await read(keysOf(THIRD))).toBe(webhook.secret)
  })
})

test('secrets reset gives up what a lost key encrypted', async () => {
  expect(await relata(['secrets', 'reset'])).toEqual([1, expect.stringContaining('--give-up')])
  expect((await relata(['secrets', 'reset', '--give-up']))[0]).toBe(0)
  const [found] = await service.db.sql`select status, secret from relata.webhooks where id = ${webhook.id.webhook_id}`
  const secret = service.db.secrets.decrypt(row, found?.secret)
  expect([found?.status, secret]).toEqual(['inactive', expect.stringMatching(/^[0-9a-f]{64}$/)])
  expect(secret).not.toBe(webhook.secret)
})
