/**
 * Signs URLs under which a client without a token can download a blob for a while. The key of the signature is the secret of the workspace,
 * or its own secret once it was rotated. Neither leaves the server. See docs/reference/files.md (Download).
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Database, type Transaction, runOnLookupPool } from '#db/connect'
import type { BlobKey } from '#crm/blobs/byte-storage'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { Clock } from '#base/timing/clock'

export const DOWNLOADS_PATH = '/files'

const FIVE_MINUTES = 300

/** A blob, and how it is served. */
export interface Download extends BlobKey {
  readonly fileName: string
  /** The type that the bytes have, not one that a client named. */
  readonly type: string
}

interface SigningContext {
  readonly db: Database
  readonly now: Clock
}

/** Returns the path of the URL, which is valid for so many seconds. */
export async function signDownload(
  { db, now }: SigningContext,
  download: Download,
  seconds = FIVE_MINUTES,
): Promise<string> {
  const secret = await findSecret(db, download.workspaceId)
  if (secret === undefined) throw new Error(`Workspace ${download.workspaceId} does not exist.`)
  const payload = encode(download, Math.floor(now() / 1e6) + seconds)
  return `${DOWNLOADS_PATH}/${payload}.${signatureOf(secret, payload).toString('base64url')}`
}

/** Names of files have at most 255 characters. */
const MAX_TOKEN_LENGTH = 4000

/** Returns undefined for a token that was not signed here, or that has expired. */
export async function readDownload({ db, now }: SigningContext, token: string): Promise<Download | undefined> {
  if (token.length > MAX_TOKEN_LENGTH) return undefined
  const [payload = '', signature = ''] = token.split('.')
  const decoded = decode(payload)
  if (decoded === undefined) return undefined
  const { download, expiresAt } = decoded
  const secret = await findSecret(db, download.workspaceId)
  if (secret === undefined || !isEqual(Buffer.from(signature, 'base64url'), signatureOf(secret, payload)))
    return undefined
  return expiresAt >= now() / 1e6 ? download : undefined
}

/** The first line keeps the signature apart from those of cursors, which begin with JSON. */
const signatureOf = (secret: string, payload: string): Buffer =>
  createHmac('sha256', secret).update(`download\n${payload}`).digest()

const isEqual = (actual: Buffer, expected: Buffer): boolean =>
  actual.length === expected.length && timingSafeEqual(actual, expected)

function encode({ workspaceId, digest, fileName, type }: Download, expiresAt: number): string {
  const members = [workspaceId, digest.toString('hex'), fileName, type, expiresAt]
  return Buffer.from(JSON.stringify(members)).toString('base64url')
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The signature is not checked yet, so the payload may be anything. */
function decode(payload: string): { download: Download; expiresAt: number } | undefined {
  const members = parseArray(Buffer.from(payload, 'base64url').toString())
  const [workspaceId, digest, fileName, type, expiresAt] = members
  if (typeof workspaceId !== 'string' || !UUID.test(workspaceId) || typeof digest !== 'string') return undefined
  if (typeof fileName !== 'string' || typeof type !== 'string' || typeof expiresAt !== 'number') return undefined
  return { download: { workspaceId, digest: Buffer.from(digest, 'hex'), fileName, type }, expiresAt }
}

function parseArray(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

/** Makes another secret: the addresses that were signed before end with the transaction. */
export async function rotateDownloadSecret(
  { secrets }: Pick<Database, 'secrets'>,
  tx: Transaction,
  workspaceId: string,
): Promise<void> {
  const row = { table: 'workspaces', key: [workspaceId] } as const
  const download_secret = await secrets.encrypt(tx, row, randomBytes(32).toString('hex'))
  await controlQueriesIn(tx)
    .updateTable('relata.workspaces')
    .set({ download_secret })
    .where('id', '=', workspaceId)
    .execute()
}

/** It is read at each download, so that no process goes on with the one before. */
async function findSecret(db: Database, workspaceId: string): Promise<string | undefined> {
  const row = await runOnLookupPool(db, (on) =>
    controlQueriesIn(on)
      .selectFrom('relata.workspaces')
      .select(['secret', 'download_secret'])
      .where('id', '=', workspaceId)
      .executeTakeFirst(),
  )
  return row && db.secrets.decrypt({ table: 'workspaces', key: [workspaceId] }, row.download_secret ?? row.secret)
}
