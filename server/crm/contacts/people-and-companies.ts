/** Finds or creates people and companies, and links people to the companies of their email domains. See docs/reference/meetings.md (People and companies). */
import { ApiError } from '#base/errors/api-error'
import { newId } from '#base/ids'
import type { RequestContext } from '#context'
import type { Attribute, ObjectType } from '#engine/data-model/model'
import { createEntity } from '#engine/entities/write/create-entity'
import { completeAssignments, readAssignments } from '#engine/entities/write/parse-values'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { writeEntity } from '#engine/entities/write/update-entity'
import { VersionConflict } from '#engine/storage/preconditions'
import { findByKeys, readRecords } from '#engine/storage/statements/read-many-records'
import { UniqueKeyConflict } from '#engine/storage/unique-keys'
import { type CompanyDomain, companyDomainOf } from './company-domain'
import { type ContactTypes, contactTypesOf } from './contact-types'

interface Wanted {
  readonly object: (types: ContactTypes) => ObjectType
  readonly keyAttribute: (types: ContactTypes) => Attribute
  /** The record that has the first of them, or else another one, is found. */
  readonly keys: readonly string[]
  /** The values of a new record, as in a body. */
  readonly values: Readonly<Record<string, unknown>>
}

const OVERWRITE_CONTACT = { member: 'values', appends: false } as const

/**
 * Returns the id of the record. When another writer creates it at the same time, the retry finds it. Undefined when the
 * workspace refuses the record, such as for a required attribute without a value.
 */
export async function findOrCreate(context: RequestContext, wanted: Wanted): Promise<string | undefined> {
  try {
    return await retryOnConflict(context, async (context, writeTry) => {
      const types = contactTypesOf(context.model)
      if (types === undefined) return undefined
      const object = wanted.object(types)
      const found = await findByKeys(context.db.sql, context.model, wanted.keyAttribute(types), wanted.keys)
      const key = wanted.keys.find((each) => found.has(each))
      if (key !== undefined) return found.get(key)
      const given = await readAssignments(context, object, wanted.values, OVERWRITE_CONTACT, writeTry)
      const assignments = await completeAssignments(context, object, given, writeTry)
      return await insert(context, object, assignments)
    })
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}

async function insert(
  context: RequestContext,
  object: ObjectType,
  assignments: Awaited<ReturnType<typeof completeAssignments>>,
): Promise<string> {
  const id = newId()
  try {
    await createEntity(context, object, { id, assignments })
    return id
  } catch (error) {
    if (error instanceof UniqueKeyConflict) throw new VersionConflict()
    throw error
  }
}

/** Whether the same write would be refused again. */
const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status < 500

const MAX_CONCURRENT_UPDATES = 4

/** Finds or creates the companies of people without a company. People without an address of a company stay as they are. */
export async function linkCompanies(context: RequestContext, personIds: readonly string[]): Promise<void> {
  const { model, db } = context
  const types = contactTypesOf(model)
  if (types === undefined) return
  const { people, emailAddresses, company } = types
  const records = await readRecords(db.sql, model, people, [emailAddresses, company], personIds)
  const withDomain = [...records].flatMap(([id, record]) => {
    if (record.valuesOf(company).length > 0) return []
    const domains = record.valuesOf(emailAddresses).map(({ stored }) => String(stored.email_address))
    const domain = domains.map((address) => companyDomainOf(model, address)).find((each) => each !== undefined)
    return domain === undefined ? [] : [{ id, domain }]
  })
  const companies = await companiesOf(
    context,
    withDomain.map(({ domain }) => domain),
  )
  for (let start = 0; start < withDomain.length; start += MAX_CONCURRENT_UPDATES) {
    const next = withDomain.slice(start, start + MAX_CONCURRENT_UPDATES)
    await Promise.all(
      next.map(async ({ id, domain }) => {
        const companyId = companies.get(domain.host)
        if (companyId !== undefined) await linkCompany(context, id, companyId)
      }),
    )
  }
}

/** The ids of the companies, by host. A company with the host takes precedence over one with its registrable domain. */
export async function companiesOf(
  context: RequestContext,
  domains: readonly CompanyDomain[],
): Promise<ReadonlyMap<string, string>> {
  const types = contactTypesOf(context.model)
  const byHost = new Map(domains.map((domain) => [domain.host, domain]))
  const companies = new Map<string, string>()
  if (types === undefined || byHost.size === 0) return companies
  const keys = [...new Set(domains.flatMap(({ host, root }) => [host, root]))]
  const found = await findByKeys(context.db.sql, context.model, types.domains, keys)
  for (const { host, root } of byHost.values()) {
    const id = found.get(host) ?? found.get(root) ?? (await createCompany(context, { host, root }))
    if (id !== undefined) companies.set(host, id)
  }
  return companies
}

const createCompany = (context: RequestContext, { host, root }: CompanyDomain): Promise<string | undefined> =>
  findOrCreate(context, {
    object: ({ companies }) => companies,
    keyAttribute: ({ domains }) => domains,
    keys: [host, root],
    values: { domains: [root] },
  })

/** A person that got a company meanwhile keeps it. */
async function linkCompany(context: RequestContext, personId: string, companyId: string): Promise<void> {
  try {
    await retryOnConflict(context, async (context, writeTry) => {
      const types = contactTypesOf(context.model)
      if (types === undefined) return
      const { people, companies, company } = types
      const writing = { context, entityType: people, id: personId, locking: writeTry.locking, attributes: [company] }
      const values = { [company.id]: { target_object: companies.id, target_record_id: companyId } }
      await writeEntity(writing, async (db, entity) => {
        const isLinked = entity.valuesOf(company).length > 0
        const assignments = isLinked
          ? []
          : await readAssignments(context, people, values, OVERWRITE_CONTACT, writeTry, db)
        return { assignments, multiselectWriteOf: () => 'overwrite' }
      })
    })
  } catch (error) {
    // The company was deleted since, or the workspace refuses the change.
    if (!isRefusal(error)) throw error
  }
}
