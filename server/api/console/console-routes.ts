/** All routes that only the console uses. */

import { type AnyElysia, Elysia } from 'elysia'
import type { Answers } from '#api/http/response/answer'
import type { ConsoleContext } from './console-context'
import type { Gateway } from './gateway'
import { accountRoutes } from './account/routes'
import { appRoutes } from './apps/routes'
import { assistantRoutes } from './assistants/routes'
import { auditLogRoutes } from './audit-log/routes'
import { authorizeRoutes } from './authorize/routes'
import { commentCountRoutes, recordCountRoutes } from './counts/routes'
import { connectedAccountRoutes } from './connected-accounts/routes'
import { dismissedDuplicateRoutes, mergePreviewRoutes } from './duplicates/routes'
import { domainRoutes } from './domains/routes'
import { fileImportRoutes } from './file-imports/routes'
import { consoleFileRoutes } from './files/routes'
import { followedRecordRoutes } from './followed-records/routes'
import { importRoutes } from './imports/routes'
import { inboxRoutes } from './inbox/routes'
import { gettingStartedRoutes } from './getting-started/routes'
import { indexRoutes } from './indexes/routes'
import { installationRoutes } from './installation/routes'
import { invitationRoutes } from './invitations/routes'
import { keyRoutes } from './keys/routes'
import { listTeamRoutes, teamRoutes } from './teams/routes'
import { memberRoutes } from './members/routes'
import { noteDocumentRoutes } from './notes/routes'
import { objectAccessRoutes } from './object-access/routes'
import { personalDataRoutes } from './personal-data/routes'
import { recordPictureRoutes } from './record-pictures/routes'
import { pictureRoutes } from './pictures/routes'
import { providerRoutes } from './providers/routes'
import { retentionRoutes } from './retention/routes'
import { requestRoutes } from './requests/routes'
import type { Handle } from './sample-data/requests'
import { sampleDataRoutes } from './sample-data/routes'
import { scimStatusRoutes } from './scim/routes'
import { secondFactorRoutes } from './second-factor/routes'
import { sessionRoutes } from './session/routes'
import { sqlQueryRoutes } from './sql-queries/routes'
import { textSearchRoutes } from './text-search/routes'
import { viewPinRoutes } from './view-pins/routes'
import { workspaceRoutes } from './workspaces/routes'

const PLUGINS: readonly ((context: ConsoleContext) => AnyElysia)[] = [
  sessionRoutes,
  secondFactorRoutes,
  providerRoutes,
  accountRoutes,
  workspaceRoutes,
  memberRoutes,
  invitationRoutes,
  assistantRoutes,
  teamRoutes,
  listTeamRoutes,
  objectAccessRoutes,
  viewPinRoutes,
  followedRecordRoutes,
  recordPictureRoutes,
  textSearchRoutes,
  domainRoutes,
  indexRoutes,
  installationRoutes,
  scimStatusRoutes,
  keyRoutes,
  requestRoutes,
  fileImportRoutes,
  connectedAccountRoutes,
  consoleFileRoutes,
  importRoutes,
  inboxRoutes,
  commentCountRoutes,
  recordCountRoutes,
  gettingStartedRoutes,
  mergePreviewRoutes,
  dismissedDuplicateRoutes,
  auditLogRoutes,
  personalDataRoutes,
  retentionRoutes,
  noteDocumentRoutes,
  sqlQueryRoutes,
  appRoutes,
  authorizeRoutes,
]

/** `handle` is the application that contains these routes. */
export function consoleRoutes(context: ConsoleContext, answers: Answers, handle: Handle): AnyElysia {
  const routes: AnyElysia = new Elysia({ name: 'console' })
  for (const plugin of PLUGINS) routes.use(plugin(context))
  return routes
    .use(pictureRoutes(context, answers))
    .use(sampleDataRoutes(context, handle))
    .use(gatewayRoutes(context.gateway, handle))
}

/** The public API as the signed-in person. */
function gatewayRoutes(gateway: Gateway, handle: Handle) {
  const hook = { parse: 'none', detail: { hide: true } } as const
  const pass = ({ request }: { request: Request }) => gateway.pass(request, handle)
  const path = '/console/v2/*'
  return new Elysia({ name: 'console-gateway' })
    .get(path, pass, hook)
    .post(path, pass, hook)
    .put(path, pass, hook)
    .patch(path, pass, hook)
    .delete(path, pass, hook)
}
