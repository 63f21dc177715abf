/** The columns with encrypted secrets: the check of the keys at the start, and the encryption of all rows with another key. */

import { type Database, secretKeyMissing, type SecretRow, StartError, type Transaction } from './connect'
import {
  createKeyFile,
  createSecretCipher,
  decryptWith,
  encryptedPrefix,
  encryptWith,
  isEncrypted,
  type SecretKey,
  type SecretKeys,
} from './secret-keys'

interface EncryptedColumns {
  readonly table: SecretRow['table']
  /** The name of the table in the database, if it is another one. */
  readonly storedIn?: string
  /** The columns of the primary key, and their types. */
  readonly key: Readonly<Record<string, 'uuid' | 'bytea'>>
  readonly columns: readonly string[]
  /** Which rows had a secret before secrets were encrypted; all of them by default. */
  readonly plain?: string
}

/** A stored answer has a secret when it is that of a new webhook. */
const WEBHOOK_SECRET = /"secret":"[0-9a-f]{64}"/

export const hasWebhookSecret = (answer: string): boolean => WEBHOOK_SECRET.test(answer)

const ENCRYPTED_COLUMNS: readonly EncryptedColumns[] = [
  {
    table: 'workspaces',
    storedIn: 'all_workspaces',
    key: { id: 'uuid' },
    columns: ['secret', 'download_secret'],
  },
  { table: 'webhooks', key: { workspace_id: 'uuid', id: 'uuid' }, columns: ['secret', 'previous_secret'] },
  { table: 'totp_secrets', key: { account_id: 'uuid' }, columns: ['secret'] },
  { table: 'sign_in_providers', key: { workspace_id: 'uuid' }, columns: ['client_secret'] },
  { table: 'connected_accounts', key: { workspace_id: 'uuid', id: 'uuid' }, columns: ['secret'] },
  {
    table: 'idempotent_answers',
    key: { workspace_id: 'uuid', scope: 'bytea' },
    columns: ['body'],
    plain: `body ~ '${WEBHOOK_SECRET.source}'`,
  },
]

interface KeyRow {
  readonly id: string
  readonly check_value: string
  readonly is_current: boolean
}

const CHECK_TEXT = 'relata'
const LOCK = 'relata secrets'

const checkRow = (id: string): SecretRow => ({ table: 'secret_keys', key: [id] })

/**
 * Throws a `StartError` when the process lacks a key with which secrets of the database are encrypted. Writes nothing, so that it can
 * run before a migration. `isNeeded` is false for a command, which may do without keys when it stores and reads no secret.
 */
export async function refuseWrongKeys({ sql }: Database, keys: SecretKeys, isNeeded: boolean): Promise<void> {
  const available = keys.list()
  if (available.length === 0 && keys.file === undefined) {
    if (isNeeded) throw secretKeyMissing()
    return
  }
  const [found] = await sql<[{ exists: boolean }]>`select to_regclass('relata.secret_keys') is not null as exists`
  const rows = found.exists ? await sql<KeyRow[]>`select id, check_value, is_current from relata.secret_keys` : []
  refuseMissingKeys(rows, keys)
}

/** The ids and check values of keys, as the database and backups have them. Throws a `StartError` for a key that is not there. */
export function refuseMissingKeys(rows: readonly Pick<KeyRow, 'id' | 'check_value'>[], keys: SecretKeys): void {
  const available = keys.list()
  for (const { id, check_value } of rows) {
    const key = available.find((each) => each.id === id)
    if (key !== undefined && opens(key, check_value)) continue
    throw new StartError(
      `The secrets are encrypted with the key ${id}, which ${keys.place} does not have; set the key that this service was used with. See docs/running.md (The secret key).`,
    )
  }
}

function opens(key: SecretKey, checkValue: string): boolean {
  try {
    return decryptWith(key, checkRow(key.id), checkValue) === CHECK_TEXT
  } catch {
    return false
  }
}

/**
 * Registers the first key of a database, and encrypts the secrets that are not encrypted: all of them at the first start with a key,
 * later those that a process of an earlier version stored meanwhile. Makes the key file of an embedded database.
 */
export async function encryptPlainSecrets({ sql }: Database, keys: SecretKeys): Promise<void> {
  if (keys.list().length === 0 && keys.file === undefined) return
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended(${LOCK}, 0))`
    const [current] = await tx<{ id: string }[]>`select id from relata.secret_keys where is_current`
    if (current === undefined && keys.list().length === 0 && keys.file !== undefined) createKeyFile(keys.file)
    const key = keys.list().find(({ id }) => current === undefined || id === current.id)
    if (key === undefined) throw secretKeyMissing()
    if (current === undefined) await makeCurrent(tx, key)
    for (const columns of ENCRYPTED_COLUMNS) await encryptPlainRows(tx, columns, key, current === undefined)
  })
}

async function makeCurrent(tx: Transaction, key: SecretKey): Promise<void> {
  await tx`update relata.secret_keys set is_current = false where is_current`
  await tx`
    insert into relata.secret_keys (id, check_value, is_current)
    values (${key.id}, ${encryptWith(key, checkRow(key.id), CHECK_TEXT)}, true)
    on conflict (id) do update set is_current = true`
}

async function encryptPlainRows(
  tx: Transaction,
  columns: EncryptedColumns,
  key: SecretKey,
  isFirst: boolean,
): Promise<void> {
  if (isFirst) {
    // Nothing is encrypted before the first key, whatever a text begins with.
    await changeRows(tx, columns, columns.plain ?? 'true', (row, text) => encryptWith(key, row, text))
  } else if (columns.plain === undefined) {
    await changeRows(tx, columns, whereNot(columns, encryptedPrefix()), (row, text) =>
      isEncrypted(text) ? text : encryptWith(key, row, text),
    )
  }
}

/** Rows with a secret that does not begin with the prefix. */
const whereNot = ({ columns }: EncryptedColumns, prefix: string): string =>
  columns.map((column) => `not starts_with(${column}, '${prefix}')`).join(' or ')

/** Replaces the secrets of rows. Returns how many rows it has changed. */
async function changeRows(
  tx: Transaction,
  { table, storedIn = table, key, columns }: EncryptedColumns,
  condition: string,
  change: (row: SecretRow, text: string) => string,
): Promise<number> {
  const types = Object.entries(key)
  const asText = ([name, type]: [string, string]) => (type === 'bytea' ? `encode(${name}, 'hex')` : `${name}::text`)
  const rows = await tx.unsafe<{ key: string[]; secrets: (string | null)[] }[]>(
    `select array[${types.map(asText).join(', ')}] as key, array[${columns.join(', ')}] as secrets
     from relata.${storedIn} where ${condition} for update`,
  )
  const parameter = (type: string, number: number) =>
    type === 'bytea' ? `decode($${number}, 'hex')` : `$${number}::text::uuid`
  const where = types.map(([name, type], index) => `${name} = ${parameter(type, columns.length + index + 1)}`)
  const update = `update relata.${storedIn} set ${columns.map((name, index) => `${name} = $${index + 1}`).join(', ')} where ${where.join(' and ')}`
  const changes = rows.map((row) => {
    const changed = row.secrets.map((text) => (text === null ? null : change({ table, key: row.key }, text)))
    return tx.unsafe(update, [...changed, ...row.key], { prepare: true })
  })
  await Promise.all(changes)
  return rows.length
}

/** How many rows one transaction of a rotation changes. Requests wait for the rows that it has locked. */
const BATCH_SIZE = 500

/**
 * Encrypts all secrets with the newest key of the process, which becomes the current one, while the service runs. Running processes need
 * both keys. A rotation that was interrupted goes on. Returns how many rows it has changed; throws a `StartError` when the newest key is the
 * current one and nothing is left to do.
 */
export async function rotateSecrets(
  db: Database,
  keys: SecretKeys,
): Promise<{ readonly id: string; readonly rows: number }> {
  const { sql } = db
  const rows = await sql<KeyRow[]>`select id, check_value, is_current from relata.secret_keys`
  refuseMissingKeys(rows, keys)
  const [newest] = keys.list()
  if (newest === undefined) throw secretKeyMissing()
  if (rows.length === 1 && rows[0]?.id === newest.id) {
    throw new StartError(
      `The secrets are encrypted with the newest key of ${keys.place} already. Put a new key before it, separated by a space, and restart the service first.`,
    )
  }
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended(${LOCK}, 0))`
    await makeCurrent(tx, newest)
  })
  const cipher = createSecretCipher(keys)
  const renew = (row: SecretRow, text: string) => encryptWith(newest, row, cipher.decrypt(row, text))
  let changed = 0
  for (const columns of ENCRYPTED_COLUMNS) changed += await rotateTable(db, columns, newest, renew)
  await sql`delete from relata.secret_keys where not is_current`
  return { id: newest.id, rows: changed }
}

async function rotateTable(
  { sql }: Database,
  columns: EncryptedColumns,
  { id }: SecretKey,
  renew: (row: SecretRow, text: string) => string,
): Promise<number> {
  const others = whereNot(columns, encryptedPrefix(id))
  const encrypted = columns.plain === undefined ? others : `starts_with(body, '${encryptedPrefix()}') and (${others})`
  const names = Object.keys(columns.key).join(', ')
  const batch = `(${names}) in (select ${names} from relata.${columns.storedIn ?? columns.table} where ${encrypted} limit ${BATCH_SIZE})`
  const isCurrent = (text: string) => text.startsWith(encryptedPrefix(id))
  for (let changed = 0; ;) {
    const count = Number(
      await sql.begin((tx) =>
        changeRows(tx, columns, batch, (row, text) => (isCurrent(text) ? text : renew(row, text))),
      ),
    )
    changed += count
    if (count === 0) return changed
  }
}

/**
 * Replaces the secrets by new ones that are not encrypted yet, because their key is lost. Webhooks become inactive, authenticator apps are
 * removed, sign-in at providers fails until an admin enters the client secret, and members enter the passwords of their accounts again.
 */
export async function forgetSecrets({ sql }: Database): Promise<void> {
  const random = `replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')`
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended(${LOCK}, 0))`
    await tx.unsafe(`update relata.all_workspaces set secret = ${random}, download_secret = null`)
    await tx.unsafe(
      `update relata.webhooks set secret = ${random}, previous_secret = null, previous_secret_until = null, status = 'inactive'`,
    )
    await tx`update relata.sign_in_providers set client_secret = ''`
    await tx`delete from relata.totp_secrets`
    await tx`
      update relata.connected_accounts set secret = null, state = 'sign-in-required', error_code = 'sign_in_refused',
        error_message = 'The password was lost with the secret key of the service. Enter it again.', error_answer = null, due_at = null
      where secret is not null and state <> 'removing'`
    await tx`delete from relata.idempotent_answers where starts_with(body, ${encryptedPrefix()})`
    await tx`delete from relata.secret_keys`
  })
}
