import { Elysia } from 'elysia'
import { auditActorOf, type ConsoleContext } from '#api/console/console-context'
import { addWorkspaceDomain, listWorkspaceDomains, removeWorkspaceDomain, verifyWorkspaceDomain } from './domains'
import { DomainAnswer, DomainBody, DomainsAnswer } from './schemas'
import { Done } from '#api/console/schemas'

const DOMAINS = '/console/api/workspaces/:workspace_id/domains'

export const domainRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-domains' })
    .get(
      DOMAINS,
      ...guard.admin({ response: DomainsAnswer }, async ({ member }) => ({
        data: await listWorkspaceDomains(appContext, member.workspaceId),
      })),
    )
    .post(
      DOMAINS,
      ...guard.admin({ response: DomainAnswer, body: DomainBody }, async (input) => {
        const change = { workspaceId: input.member.workspaceId, auditActor: auditActorOf(input) }
        return { data: await addWorkspaceDomain(appContext, change, input.body.domain) }
      }),
    )
    .post(
      `${DOMAINS}/:domain_id/verify`,
      ...guard.admin({ response: DomainAnswer }, async (input) => {
        const change = { workspaceId: input.member.workspaceId, auditActor: auditActorOf(input) }
        return { data: await verifyWorkspaceDomain(appContext, change, input.params.domain_id) }
      }),
    )
    .delete(
      `${DOMAINS}/:domain_id`,
      ...guard.admin({ response: Done }, async (input) => {
        const change = { workspaceId: input.member.workspaceId, auditActor: auditActorOf(input) }
        await removeWorkspaceDomain(appContext, change, input.params.domain_id)
        return { data: {} }
      }),
    )
