/**
 * The domains of a workspace. On a verified domain, an identity provider makes members without an invitation.
 * See docs/reference/scim.md (Verified domains).
 */

import { sql } from 'kysely'
import { domainToASCII } from 'node:url'
import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { newId } from '#base/ids'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { newSecret } from '#access/secrets'
import { resolveTxt } from 'node:dns/promises'
import { logError } from '#base/logging/log-error'
import { withTimeout } from '#base/timing/wait'

export interface DomainRow {
  readonly id: string
  readonly domain: string
  readonly proof: string
  /** As PostgreSQL prints it. */
  readonly created_at: string
  readonly verified_at: string | null
}

const COLUMNS = ['id', 'domain', 'proof', 'created_at', 'verified_at'] as const
const MAX_LENGTH = 253
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Returns the domain in lower case and ASCII, or undefined for a text that is none. */
export function normalDomain(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const domain = domainToASCII(text.trim().toLowerCase())
  const labels = domain.split('.')
  const isDomain = domain.length <= MAX_LENGTH && labels.length > 1 && labels.every((label) => LABEL.test(label))
  // The last label of an address in numbers has no letter.
  return isDomain && /[a-z]/.test(labels.at(-1) ?? '') ? domain : undefined
}

const domainsOf = (connection: Sql | Transaction, workspaceId: string) =>
  controlQueriesIn(connection).selectFrom('relata.domains').select(COLUMNS).where('workspace_id', '=', workspaceId)

export const listDomains = (connection: Sql | Transaction, workspaceId: string): Promise<DomainRow[]> =>
  domainsOf(connection, workspaceId).orderBy('domain').execute()

export const findDomain = (
  connection: Sql | Transaction,
  workspaceId: string,
  id: string,
): Promise<DomainRow | undefined> => domainsOf(connection, workspaceId).where('id', '=', id).executeTakeFirst()

/** Returns the domain of the workspace with this name, which it adds when the workspace has none. */
export async function addDomain(
  tx: Transaction,
  workspaceId: string,
  domain: string,
  now: Micros,
): Promise<{ row: DomainRow; isNew: boolean }> {
  const added = await controlQueriesIn(tx)
    .insertInto('relata.domains')
    .values({
      workspace_id: workspaceId,
      id: newId(),
      domain,
      proof: newSecret(),
      created_at: timestampFromMicros(now),
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'domain']).doNothing())
    .returning(COLUMNS)
    .executeTakeFirst()
  const row = added ?? (await domainsOf(tx, workspaceId).where('domain', '=', domain).executeTakeFirstOrThrow())
  return { row, isNew: added !== undefined }
}

/** A domain that is verified already remains so. */
export async function markVerified(tx: Transaction, workspaceId: string, id: string, now: Micros): Promise<DomainRow> {
  return controlQueriesIn(tx)
    .updateTable('relata.domains')
    .set({ verified_at: sql<string>`coalesce(verified_at, ${timestampFromMicros(now)}::timestamptz)` })
    .where(equal({ workspace_id: workspaceId, id }))
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
}

export async function removeDomain(tx: Transaction, workspaceId: string, id: string): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.domains')
    .where(equal({ workspace_id: workspaceId, id }))
    .execute()
}

/** Whether the domain of every address is a verified domain of the workspace. A subdomain is another domain. */
export async function areOnVerifiedDomains(
  connection: Sql | Transaction,
  workspaceId: string,
  addresses: readonly string[],
): Promise<boolean> {
  const domains = new Set(addresses.map((address) => normalDomain(address.slice(address.lastIndexOf('@') + 1)) ?? ''))
  const found = await domainsOf(connection, workspaceId)
    .where('domain', 'in', [...domains])
    .where('verified_at', 'is not', null)
    .execute()
  return found.length === domains.size
}

// The proof that a workspace controls a domain: a TXT record of the DNS. See docs/reference/scim.md (Verified domains).

/** Returns the TXT records of a name, each in pieces; rejects when there are none. */
export type ResolveTxt = (name: string) => Promise<readonly (readonly string[])[]>

export const systemResolveTxt: ResolveTxt = resolveTxt

/** A working resolver needs less. */
const TIMEOUT_MS = 5_000
const WITHOUT_RECORDS = new Set(['ENOTFOUND', 'ENODATA'])

interface TxtRecord {
  readonly name: string
  readonly value: string
}

/** The record that proves the control of the domain. */
export const recordOf = ({ domain, proof }: Pick<DomainRow, 'domain' | 'proof'>, brand: string): TxtRecord => ({
  name: `_${brand}-domain.${domain}`,
  value: `${brand}-domain=${proof}`,
})

/** A resolver that fails or does not answer in time proves nothing. */
export async function hasRecord(resolve: ResolveTxt, { name, value }: TxtRecord): Promise<boolean> {
  const records = await withTimeout(resolve(name), TIMEOUT_MS).catch((error: unknown) => {
    const isExpected = error instanceof Error && 'code' in error && WITHOUT_RECORDS.has(String(error.code))
    if (!isExpected) logError('The TXT records of a domain could not be resolved.', error)
    return []
  })
  return (records ?? []).some((pieces) => pieces.join('').trim() === value)
}
