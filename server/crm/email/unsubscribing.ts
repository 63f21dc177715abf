/**
 * The signed addresses of pages at which a recipient unsubscribes, which never expire, and the recipients who did. The key of the
 * signature is the secret of the workspace. See docs/reference/sending-email.md (Unsubscribing); docs/reference/emails.md (Unsubscribed addresses).
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { type Database, renderArray, type Sql } from '#db/connect'
import { anyOf, controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { moveOf, type WorkspaceMove } from '#engine/workspaces/workspace-move'
import { isUuid } from '#vocabulary/uuids'

export const UNSUBSCRIBE_PATH = '/unsubscribe'

/** A recipient of emails of a workspace. */
export interface Recipient {
  readonly workspaceId: string
  /** Normalised. */
  readonly address: string
}

/** Returns the path of the page. */
export async function signUnsubscribe(db: Pick<Database, 'sql' | 'secrets'>, recipient: Recipient): Promise<string> {
  const found = await findWorkspace(db, recipient.workspaceId)
  if (found === undefined) throw new Error(`Workspace ${recipient.workspaceId} does not exist.`)
  const payload = Buffer.from(JSON.stringify([recipient.workspaceId, recipient.address])).toString('base64url')
  return `${UNSUBSCRIBE_PATH}/${payload}.${signatureOf(found.secret, payload).toString('base64url')}`
}

/** Addresses have at most 320 characters. */
const MAX_TOKEN_LENGTH = 1_000

/** The recipient of a link, whose workspace may move to another service, or have moved there. */
export interface LinkedRecipient extends Recipient {
  readonly move: WorkspaceMove | undefined
}

/** Returns undefined for a token that was not signed here. */
export async function readUnsubscribe(
  db: Pick<Database, 'sql' | 'secrets'>,
  token: string,
): Promise<LinkedRecipient | undefined> {
  if (token.length > MAX_TOKEN_LENGTH) return undefined
  const [payload = '', signature = ''] = token.split('.')
  const recipient = decode(payload)
  if (recipient === undefined) return undefined
  const found = await findWorkspace(db, recipient.workspaceId)
  if (found === undefined) return undefined
  const [actual, expected] = [Buffer.from(signature, 'base64url'), signatureOf(found.secret, payload)]
  const isSigned = actual.length === expected.length && timingSafeEqual(actual, expected)
  return isSigned ? { ...recipient, move: found.move } : undefined
}

/** The first line keeps the signature apart from those of cursors and downloads. */
const signatureOf = (secret: string, payload: string): Buffer =>
  createHmac('sha256', secret).update(`unsubscribe\n${payload}`).digest()

/** The signature is not checked yet, so the payload may be anything. */
function decode(payload: string): Recipient | undefined {
  try {
    const members: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const [workspaceId, address] = Array.isArray(members) ? members : []
    if (typeof workspaceId !== 'string' || !isUuid(workspaceId) || typeof address !== 'string') return undefined
    return { workspaceId, address }
  } catch {
    return undefined
  }
}

/** Finds also a workspace that has moved. */
async function findWorkspace({ sql, secrets }: Pick<Database, 'sql' | 'secrets'>, id: string) {
  const row = await controlQueriesIn(sql)
    .selectFrom('relata.all_workspaces')
    .select(['secret', 'deleted_at', 'moved_to'])
    .where('id', '=', id)
    .where(({ eb, or }) => or([eb('deleted_at', 'is', null), eb('moved_to', 'is not', null)]))
    .executeTakeFirst()
  if (row === undefined) return undefined
  return { secret: secrets.decrypt({ table: 'workspaces', key: [id] }, row.secret), move: moveOf(row) }
}

/** Adds addresses that get no email of members. Those that were added before keep their time. */
export async function addUnsubscribed(
  { control }: Pick<Database, 'control'>,
  workspaceId: string,
  addresses: readonly string[],
  now: Micros,
): Promise<void> {
  // The addresses are sorted, so that two writers of the same addresses wait for each other in the same order.
  await sql`
    insert into relata.unsubscribed_emails (workspace_id, email_address, created_at)
    select ${workspaceId}::uuid, address, ${timestampFromMicros(now)}::timestamptz
    from unnest(${renderArray(addresses.toSorted())}::text[]) as a(address)
    on conflict (workspace_id, email_address) do nothing`.execute(control)
}

/** The unsubscribed ones among the addresses, with the time when they were first added. */
export const findUnsubscribed = (
  on: Sql,
  workspaceId: string,
  addresses: readonly string[],
): Promise<{ email_address: string; created_at: string }[]> =>
  controlQueriesIn(on)
    .selectFrom('relata.unsubscribed_emails')
    .select(['email_address', 'created_at'])
    .where(equal({ workspace_id: workspaceId, email_address: anyOf(addresses, 'text') }))
    .orderBy('email_address')
    .execute()
