/** The domains of a workspace and their proofs. See docs/reference/scim.md (Verified domains). */

import { Elysia } from 'elysia'
import { auditActorOf, type ConsoleContext } from '#api/console/console-context'
import { DomainAnswer, DomainBody, DomainsAnswer } from './schemas'
import { Done } from '#api/console/schemas'
import { audit, type AuditActor } from '#access/audit-log/audit'
import {
  addDomain,
  type DomainRow,
  findDomain,
  hasRecord,
  listDomains,
  markVerified,
  normalDomain,
  recordOf,
  removeDomain,
} from '#access/domains/domains'
import { isUuid } from '#vocabulary/uuids'
import type { AppContext } from '#context'
import type { Transaction } from '#db/connect'
import { domainNotFound, domainNotProven, domainRequired } from '#base/errors/access'
import { timestampFromPostgres, timestampOrNull } from '#base/timing/clock'

const DOMAINS = '/console/api/workspaces/:workspace_id/domains'

export const domainRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-domains' })
    .get(
      ...guard.admin(DOMAINS, { response: DomainsAnswer }, async ({ member }) => ({
        data: await listWorkspaceDomains(appContext, member.workspaceId),
      })),
    )
    .post(
      ...guard.admin(DOMAINS, { response: DomainAnswer, body: DomainBody }, async (input) => {
        const change = { workspaceId: input.member.workspaceId, auditActor: auditActorOf(input) }
        return { data: await addWorkspaceDomain(appContext, change, input.body.domain) }
      }),
    )
    .post(
      ...guard.admin(`${DOMAINS}/:domain_id/verify`, { response: DomainAnswer }, async (input) => {
        const change = { workspaceId: input.member.workspaceId, auditActor: auditActorOf(input) }
        return { data: await verifyWorkspaceDomain(appContext, change, input.params.domain_id) }
      }),
    )
    .delete(
      ...guard.admin(`${DOMAINS}/:domain_id`, { response: Done }, async (input) => {
        const change = { workspaceId: input.member.workspaceId, auditActor: auditActorOf(input) }
        await removeWorkspaceDomain(appContext, change, input.params.domain_id)
        return { data: {} }
      }),
    )

/** A workspace, and who changes its domains. */
interface DomainChange {
  readonly workspaceId: string
  readonly auditActor: AuditActor
}

async function listWorkspaceDomains(appContext: AppContext, workspaceId: string): Promise<object[]> {
  return (await listDomains(appContext.db.sql, workspaceId)).map((domain) => renderDomain(appContext, domain))
}

/** Throws 400 for a text that is no domain. A domain that the workspace has already is returned. */
async function addWorkspaceDomain(appContext: AppContext, change: DomainChange, text: string): Promise<object> {
  const domain = normalDomain(text)
  if (domain === undefined) throw domainRequired()
  const row = await inTransaction(appContext, async (tx) => {
    const added = await addDomain(tx, change.workspaceId, domain, appContext.now())
    if (added.isNew) await auditDomain(tx, appContext, change, 'added', added.row)
    return added.row
  })
  return renderDomain(appContext, row)
}

/** Looks up the TXT record. Throws 404, and 409 while the record is missing. */
async function verifyWorkspaceDomain(appContext: AppContext, change: DomainChange, id: string): Promise<object> {
  const { db, resolveTxt, settings, now } = appContext
  const domain = await getDomain(appContext, change.workspaceId, id)
  const record = recordOf(domain, settings.brand)
  if (domain.verified_at === null && !(await hasRecord(resolveTxt, record))) throw domainNotProven(record.name)
  const verified = await db.sql.begin(async (tx) => {
    const row = await markVerified(tx, change.workspaceId, domain.id, now())
    if (domain.verified_at === null) await auditDomain(tx, appContext, change, 'verified', row)
    return row
  })
  return renderDomain(appContext, verified as DomainRow) // the driver's type for the callback's result is wider
}

/** Members on the domain remain members. Throws 404. */
async function removeWorkspaceDomain(appContext: AppContext, change: DomainChange, id: string): Promise<void> {
  const domain = await getDomain(appContext, change.workspaceId, id)
  await appContext.db.sql.begin(async (tx) => {
    await removeDomain(tx, change.workspaceId, domain.id)
    await auditDomain(tx, appContext, change, 'removed', domain)
  })
}

async function getDomain({ db }: AppContext, workspaceId: string, id: string): Promise<DomainRow> {
  const domain = isUuid(id) ? await findDomain(db.sql, workspaceId, id) : undefined
  if (domain === undefined) throw domainNotFound(id)
  return domain
}

const inTransaction = async ({ db }: AppContext, write: (tx: Transaction) => Promise<DomainRow>): Promise<DomainRow> =>
  (await db.sql.begin(write)) as DomainRow // the driver's type for the callback's result is wider

const auditDomain = (
  tx: Transaction,
  { now }: AppContext,
  { workspaceId, auditActor }: DomainChange,
  ...[what, { id, domain }]: ['added' | 'verified' | 'removed', DomainRow]
) =>
  audit(tx, {
    ...auditActor,
    workspaceId,
    action: `domain.${what}`,
    subject: { type: 'domain', id, name: domain },
    now: now(),
  })

const renderDomain = ({ settings }: AppContext, domain: DomainRow) => ({
  id: domain.id,
  domain: domain.domain,
  /** The TXT record that proves the control of the domain. */
  record: recordOf(domain, settings.brand),
  created_at: timestampFromPostgres(domain.created_at),
  verified_at: timestampOrNull(domain.verified_at),
})
