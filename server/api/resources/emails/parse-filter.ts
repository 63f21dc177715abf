/** Parses the filters of a list of emails. See docs/reference/emails.md (Filters). */

import type { Sql } from '#db/connect'
import { runOnLookupPool } from '#db/lookup-pool'
import { parseInstant } from '#engine/attribute-types/formats/instants'
import { findTarget } from '#engine/attribute-types/formats/references'
import { isUuid } from '#engine/attribute-types/formats/uuids'
import type { ApiContext } from '#context'
import { InvalidValue } from '#base/errors/api-error'
import { invalidQuery, invalidRequest } from '#base/errors/http'
import { unknownObject } from '#base/errors/objects'
import { normaliseAddress } from '#crm/mailboxes/addresses'
import { findAddressesOf } from '#crm/mailboxes/linked-contacts'
import type { AddressFilter } from '#crm/mailboxes/list-emails'
import type { EmailsQuery } from './schemas'

const MAX_ITEMS = 50

/**
 * The addresses and domains of which an email must have one; undefined without a filter. Throws 400 for half a link, for an
 * unknown object, and for what is no id or no address.
 */
export async function resolveAddressFilter(
  context: ApiContext,
  { linked_object, linked_record_ids, participants, domain }: EmailsQuery,
): Promise<AddressFilter | undefined> {
  const named = itemsOf('participants', participants).map(parseParticipant)
  const domains = domain === undefined || domain.trim() === '' ? [] : [domain.trim().toLowerCase()]
  const own = { addresses: named, domains }
  if (linked_object === undefined && linked_record_ids === undefined)
    return named.length + domains.length > 0 ? own : undefined
  if (linked_object === undefined || linked_record_ids === undefined)
    throw invalidRequest('linked_object and linked_record_ids must be given together.')
  const linked = await addressesOfRecords(context, linked_object, linked_record_ids)
  return {
    addresses: [...new Set([...own.addresses, ...linked.flatMap(({ addresses }) => addresses)])],
    domains: [...new Set([...own.domains, ...linked.flatMap((each) => each.domains)])],
  }
}

/** Undefined for an absent bound. Throws 400 for a text that is no timestamp. */
export function parseBound(name: 'sent_after' | 'sent_before', text: string | undefined): string | undefined {
  if (text === undefined || text === '' || text === 'null') return undefined
  try {
    return parseInstant(text, [name]).value
  } catch (error) {
    if (error instanceof InvalidValue) throw invalidQuery(error.issues)
    throw error
  }
}

async function addressesOfRecords(
  { model, db }: ApiContext,
  linkedObject: string,
  ids: string,
): Promise<readonly AddressFilter[]> {
  const object = findTarget(model, linkedObject)
  if (object === undefined) throw unknownObject(linkedObject)
  const wrong = itemsOf('linked_record_ids', ids).find((id) => !isUuid(id))
  if (wrong !== undefined) throw invalidItem('linked_record_ids', `"${wrong}" is not a UUID`)
  const recordIds = itemsOf('linked_record_ids', ids).map((id) => id.toLowerCase())
  const find = (sql: Sql) => findAddressesOf(sql, model, object, recordIds)
  // A company may have many people.
  const found = await (object.standard_slug === 'people' ? runOnLookupPool(db, find) : find(db.sql))
  return [...found.values()]
}

function itemsOf(name: string, text: string | undefined): string[] {
  const items = (text ?? '').split(',').map((item) => item.trim())
  const filled = items.filter((item) => item !== '')
  if (filled.length > MAX_ITEMS) throw invalidItem(name, `At most ${MAX_ITEMS} can be given`)
  return filled
}

function parseParticipant(text: string): string {
  const address = normaliseAddress(text)
  if (address === undefined) throw invalidItem('participants', `"${text}" is not an email address`)
  return address
}

const invalidItem = (name: string, message: string) => invalidQuery([{ code: 'invalid_string', path: [name], message }])
