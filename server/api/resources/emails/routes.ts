import { EmptyAnswer } from '#base/validation/shapes'
import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import { EmailAnswer, EmailsAnswer, EmailsQuery, type EmailOutput, type EmailWithText } from './schemas'
import type { ApiContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { findLinksOfEmails } from '#crm/mailboxes/email-links'
import { type Contact, findAddressesOf, findContacts } from '#crm/mailboxes/linked-contacts'
import {
  type EmailFilter,
  type EmailPlace,
  findHiddenMailboxes,
  findText,
  listEmailRows,
  viewerOf,
} from '#crm/mailboxes/list-emails'
import { cursorsFor } from '#engine/query/run/cursor'
import { type Sql, runOnLookupPool } from '#db/connect'
import { parseInstant } from '#engine/attribute-types/formats/instants'
import { findLinkable } from '#engine/attribute-types/formats/references'
import { isUuid } from '#vocabulary/uuids'
import { InvalidValue } from '#base/errors/api-error'
import { invalidQuery, invalidRequest, readId } from '#base/errors/http'
import { unknownObject } from '#base/errors/attributes'
import { NO_TEXT } from '#crm/mailboxes/email-texts'
import { domainOf, isAutomated, normaliseAddress, type StoredEmail } from '#crm/mailboxes/email'
import { isHiddenObjectId } from '#engine/data-model/access/hidden'
import type { DataModel } from '#engine/data-model/model'
import { timestampFromPostgres } from '#base/timing/clock'
import { adminRequired, requireAllScopes } from '#base/errors/access'
import { isOwnAddress, isOwnDomain } from '#crm/contacts/company-domain'
import { emailNotFound } from '#base/errors/meetings'
import { requestRefreshesFor } from '#crm/interactions/refresh-queue'
import { deleteEmail as deleteEmailRows } from '#crm/mailboxes/delete-emails'

/** See docs/reference/emails.md. */
export const emailRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'emails' })
    .get(
      ...guard(
        '/v2/emails',
        {
          operation: 'listEmails',
          summary: 'List emails',
          description:
            'The metadata of imported emails, newest first. Emails that meet any of the filters by records, participants and domain.',
          tag: 'Emails',
          tokenLevel: 'workspace',
          scopes: ['email:read'],
          query: EmailsQuery,
          response: EmailsAnswer,
        },
        ({ context, query }) => listEmails(context, query),
      ),
    )
    .get(
      ...guard(
        '/v2/emails/:email_id',
        {
          operation: 'getEmail',
          summary: 'Get an email',
          description: 'With its text and the names of its attachments, in a workspace that stores them.',
          tag: 'Emails',
          scopes: ['email:read'],
          response: EmailAnswer,
        },
        async ({ context, params }) => ({ data: await getEmail(context, params.email_id) }),
      ),
    )
    .delete(
      ...guard(
        '/v2/emails/:email_id',
        {
          operation: 'deleteEmail',
          summary: 'Delete an email',
          description:
            'Deletes what is stored of it, for good. Only for admins, and for tokens that an admin authorized.',
          tag: 'Emails',
          scopes: ['email:read-write'],
          response: EmptyAnswer,
        },
        ({ context, params }) => deleteEmail(context, params.email_id),
      ),
    )

// Lists, reads and deletes emails. See docs/reference/emails.md.

interface EmailsPage {
  readonly data: EmailOutput[]
  readonly pagination: { readonly next_cursor: string | null }
}

/**
 * A page, newest first. Without automated participants, it may have fewer emails than its limit, or none, and another one
 * follows. Throws 400 for wrong filters and for a cursor of another list.
 */
const listEmails = (context: ApiContext, query: EmailsQuery): Promise<EmailsPage> =>
  retryOnConflict(context, async (context) => {
    const { model, db } = context
    const { limit = 25, cursor, exclude_automated_participants: isOfPeople = false } = query
    if (context.strictContract) checkContract(context, query)
    const cursors = await cursorsFor(context, { id: 'emails' }, query)
    const rows = await listEmailRows(db, model.workspace.id, {
      filter: await resolveFilter(context, query),
      sentAfter: parseBound('sent_after', query.sent_after),
      sentBefore: parseBound('sent_before', query.sent_before),
      place: cursor === undefined ? undefined : readPlace(cursors.decode(cursor)),
      limit: limit + 1,
      viewer: viewerOf(context),
    })
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    const listed = page.filter((email) => !isOfPeople || hasOutsidePerson(model, email))
    return {
      data: await renderEmails(context, listed),
      pagination: { next_cursor: last && rows.length > limit ? cursors.encode([last.sentAt, last.id]) : null },
    }
  })

const readPlace = ([sentAt, id]: readonly (string | null)[]): EmailPlace => ({ sentAt: String(sentAt), id: String(id) })

const hasOutsidePerson = (model: DataModel, { participants }: StoredEmail): boolean =>
  participants.some(([, address]) => !isAutomated(address) && !isOwn(model, address))

/** Of a member, or of the domain of one. */
const isOwn = (model: DataModel, address: string): boolean =>
  model.membersByEmail.has(address) || isOwnAddress(model, address)

/** Throws 403 without the scopes, and 400 without a filter, as the public API does. See docs/reference/compatibility.md. */
function checkContract({ scopes }: ApiContext, { linked_object, participants, domain }: EmailsQuery): void {
  requireAllScopes(scopes, ['record_permission:read', 'object_configuration:read'])
  const isFiltered = [linked_object, participants, domain].some((text) => text !== undefined && text.trim() !== '')
  if (!isFiltered)
    throw invalidRequest('One of linked_object with linked_record_ids, participants and domain is required.')
}

/** Parses the filters of a list of emails. See docs/reference/emails.md (Filters). */
const MAX_ITEMS = 10

/**
 * The addresses, domains and records of which an email must have one; undefined without a filter. Participants and domains of the
 * workspace itself count as filters that no email meets. Throws 400 for half a link, for an unknown object, and for what is no
 * id or no address.
 */
async function resolveFilter(
  context: ApiContext,
  { linked_object, linked_record_ids, participants, domain }: EmailsQuery,
): Promise<EmailFilter | undefined> {
  const named = itemsOf('participants', participants).map(parseParticipant)
  const domains = domain === undefined || domain.trim() === '' ? [] : [domain.trim().toLowerCase()]
  const own = {
    addresses: named.filter((address) => !isOwn(context.model, address)),
    domains: domains.filter((each) => !isOwnDomain(context.model, each)),
  }
  if (linked_object === undefined && linked_record_ids === undefined)
    return named.length + domains.length > 0 ? own : undefined
  if (linked_object === undefined || linked_record_ids === undefined)
    throw invalidRequest('linked_object and linked_record_ids must be given together.')
  const linked = await filterOfRecords(context, linked_object, linked_record_ids)
  return {
    addresses: [...new Set([...own.addresses, ...linked.addresses])],
    domains: [...new Set([...own.domains, ...linked.domains])],
    recordIds: linked.recordIds,
  }
}

/** Undefined for an absent bound. Throws 400 for a text that is no timestamp. */
function parseBound(name: 'sent_after' | 'sent_before', text: string | undefined): string | undefined {
  if (text === undefined || text === '' || text === 'null') return undefined
  try {
    return parseInstant(text, [name]).value
  } catch (error) {
    if (error instanceof InvalidValue) throw invalidQuery(error.issues)
    throw error
  }
}

async function filterOfRecords(
  { model, db }: ApiContext,
  linkedObject: string,
  ids: string,
): Promise<Required<EmailFilter>> {
  const object = findLinkable(model, linkedObject)
  if (object === undefined) throw unknownObject(linkedObject)
  const wrong = itemsOf('linked_record_ids', ids).find((id) => !isUuid(id))
  if (wrong !== undefined) throw invalidItem('linked_record_ids', `"${wrong}" is not a UUID`)
  const recordIds = itemsOf('linked_record_ids', ids).map((id) => id.toLowerCase())
  const find = (sql: Sql) => findAddressesOf(sql, model, object, recordIds)
  // A company may have many people.
  const found = [...(await (object.standard_slug === 'people' ? runOnLookupPool(db, find) : find(db.sql))).values()]
  return {
    addresses: found.flatMap(({ addresses }) => addresses),
    domains: found.flatMap(({ domains }) => domains),
    recordIds,
  }
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

async function renderEmails(
  { db, model }: Pick<ApiContext, 'db' | 'model'>,
  emails: readonly StoredEmail[],
): Promise<EmailOutput[]> {
  const addresses = emails.flatMap(({ participants }) => participants.map(([, address]) => address))
  const ids = emails.map(({ id }) => id)
  const [contacts, links] = await Promise.all([
    runOnLookupPool(db, (sql) => findContacts(sql, model, addresses)),
    runOnLookupPool(db, (sql) => findLinksOfEmails(sql, model, ids)),
  ])
  return emails.map((email) => renderEmail(model, email, { contacts, links: links.get(email.id) ?? [] }))
}

interface LinkedContacts {
  /** The people and companies of each address. */
  readonly contacts: ReadonlyMap<string, readonly Contact[]>
  /** The records from which the email was sent. */
  readonly links: readonly Contact[]
}

/** Of the linked records, people come first, each record once. */
function renderEmail(
  model: DataModel,
  { id, mailboxId, sentAt, direction, subjectLine, participants }: StoredEmail,
  { contacts, links }: LinkedContacts,
): EmailOutput {
  const found = participants
    .flatMap(([, address]) => contacts.get(address) ?? [])
    .filter(({ object }) => !isHiddenObjectId(model, object.id))
  const linked = [...new Map([...found, ...links].map((contact) => [contact.id, contact])).values()]
  const isPerson = ({ object }: Contact) => object.standard_slug === 'people'
  return {
    id: { workspace_id: model.workspace.id, mailbox_id: mailboxId, email_id: id },
    sent_at: timestampFromPostgres(sentAt),
    direction,
    subject_line: subjectLine,
    participants: participants.map(([role, address, name]) => ({
      role,
      email_address: address,
      email_domain: domainOf(address),
      name,
    })),
    linked_records: [...linked.filter(isPerson), ...linked.filter((contact) => !isPerson(contact))].map(
      ({ object, id: record_id }) => ({ object_slug: object.api_slug, object_id: object.id, record_id }),
    ),
  }
}

/** Throws 404. */
const getEmail = (context: ApiContext, emailId: string): Promise<EmailWithText> =>
  retryOnConflict(context, async ({ model, db }) => {
    const id = readId('Email', emailId)
    const viewer = viewerOf(context)
    const [email] = await listEmailRows(db, model.workspace.id, { filter: undefined, limit: 1, viewer, id })
    const [rendered] = await renderEmails({ db, model }, email === undefined ? [] : [email])
    if (rendered === undefined) throw emailNotFound(emailId)
    const stored = model.workspace.stores_email_texts ? await findText(db.sql, model.workspace.id, id, viewer) : NO_TEXT
    const { text, isCut, attachments } = stored
    return { ...rendered, text, is_text_cut: isCut, attachments: [...attachments] }
  })

/** Deletes what is stored of an email, for good. Throws 403 unless the caller is an admin or acts for one, and 404. */
const deleteEmail = (context: ApiContext, emailId: string): Promise<object> =>
  retryOnConflict(context, async ({ model, memberId, db, now }) => {
    if (model.membersById.get(memberId ?? '')?.access_level !== 'admin') throw adminRequired()
    const id = readId('Email', emailId)
    await db.sql.begin(async (tx) => {
      const hidden = await findHiddenMailboxes(tx, model.workspace.id, viewerOf(context))
      const addresses = await deleteEmailRows(tx, model.workspace.id, id, hidden)
      if (addresses === undefined) throw emailNotFound(emailId)
      await requestRefreshesFor(tx, model, addresses, now())
    })
    return {}
  })
