/** Links people to the companies of their email domains. See docs/reference/meetings.md (People and companies). */

import type { RequestContext } from '#context'
import { readAssignments } from '#engine/entities/write/parse-values'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { writeEntity } from '#engine/entities/write/update-entity'
import { findByKeys, readRecords } from '#engine/storage/statements/read-many-records'
import { type CompanyDomain, companyDomainOf } from './company-domain'
import { contactTypesOf } from './contact-types'
import { findOrCreate, isRefusal, OVERWRITE_CONTACT } from './find-or-create'

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
