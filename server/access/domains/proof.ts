/** The proof that a workspace controls a domain: a TXT record of the DNS. See docs/reference/scim.md (Verified domains). */

import { resolveTxt } from 'node:dns/promises'
import { logError } from '#base/logging/log-error'
import { withTimeout } from '#base/timing/wait'
import type { DomainRow } from './domains'

/** Returns the TXT records of a name, each in pieces; rejects when there are none. */
export type ResolveTxt = (name: string) => Promise<readonly (readonly string[])[]>

export const systemResolveTxt: ResolveTxt = resolveTxt

/** A working resolver needs less. */
const TIMEOUT_MS = 5_000
const WITHOUT_RECORDS = new Set(['ENOTFOUND', 'ENODATA'])

export interface TxtRecord {
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
