/** The application, one line per resource. */

import { type AnyElysia, Elysia } from 'elysia'
import { createTokenAuthenticator, type TokenAuthenticator } from './access/tokens/authenticate'
import { appRoutes } from './console/apps/routes'
import { assistantRoutes } from './console/assistants/routes'
import { authorizeRoutes } from './console/authorize/routes'
import { accountRoutes } from './console/account/routes'
import { auditLogRoutes } from './console/audit-log/routes'
import { type ConsoleContext, createConsoleContext } from './console/console-context'
import { fileImportRoutes } from './console/file-imports/routes'
import { consoleFileRoutes } from './console/files/routes'
import { domainRoutes } from './console/domains/routes'
import { importRoutes } from './console/imports/routes'
import { installationRoutes } from './console/installation/routes'
import { indexRoutes } from './console/indexes/routes'
import { gatewayRoutes } from './console/gateway-routes'
import { recordPageRoutes } from './console/record-page-routes'
import { inboxRoutes } from './console/inbox/routes'
import { invitationRoutes } from './console/invitations/routes'
import { keyRoutes } from './console/keys/routes'
import { listTeamRoutes } from './console/list-teams/routes'
import { memberRoutes } from './console/members/routes'
import { noteDocumentRoutes } from './console/notes/routes'
import { objectAccessRoutes } from './console/object-access/routes'
import { pictureRoutes } from './console/pictures/routes'
import { providerRoutes } from './console/providers/routes'
import { secondFactorRoutes } from './console/second-factor/routes'
import { scimStatusRoutes } from './console/scim/routes'
import { sessionRoutes } from './console/session/routes'
import { sqlQueryRoutes } from './console/sql-queries/routes'
import { teamRoutes } from './console/teams/routes'
import { viewPinRoutes } from './console/view-pins/routes'
import { workspaceRoutes } from './console/workspaces/routes'
import { createAnswers } from './http/response/answer'
import { docsRoutes } from './http/documentation/docs'
import { bearerTokens } from './http/guard/caller'
import type { RouteGuard } from './http/guard/route'
import { createRouteGuard } from './http/guard/route-guard'
import { globalHooks } from './http/guard/global-hooks'
import { healthRoutes } from './http/monitoring/health'
import { createReadinessCheck } from './http/monitoring/readiness'
import { metricsRoutes } from './http/monitoring/metrics-route'
import { downloadRoutes } from './http/signed-downloads/routes'
import { webRoutes } from './http/console-files/console-files'
import type { AppContext } from './context'
import { createEndpoint } from './mcp/endpoint'
import { createOperationCaller, type DocumentedOperations, INNER_ORIGIN } from './mcp/operation-caller'
import { mcpRoutes } from './mcp/routes'
import { attributeRoutes } from './resources/attributes/routes'
import { callRecordingRoutes } from './resources/call-recordings/routes'
import { commentRoutes } from './resources/comments/routes'
import { emailRoutes } from './resources/emails/routes'
import { entryBulkRoutes } from './resources/entries/bulk/routes'
import { entryRoutes } from './resources/entries/routes'
import { eventRoutes } from './resources/events/routes'
import { fileRoutes } from './resources/files/routes'
import { jobRoutes } from './resources/jobs/routes'
import { listRoutes } from './resources/lists/routes'
import { meetingRoutes } from './resources/meetings/routes'
import { noteRoutes } from './resources/notes/routes'
import { oauthRoutes } from './resources/oauth/routes'
import { objectRoutes } from './resources/objects/routes'
import { openApiDocumentRoutes } from './resources/openapi-document/routes'
import type { OpenApiDocument } from './resources/openapi-document/workspace-document'
import { recordBulkRoutes } from './resources/records/bulk/routes'
import { recordRoutes } from './resources/records/routes'
import { trashRoutes } from './resources/records/trash/routes'
import { selfRoutes } from './resources/self/routes'
import { sequenceRoutes } from './resources/sequences/routes'
import { sqlRoutes } from './resources/sql/routes'
import { threadRoutes } from './resources/threads/routes'
import { taskRoutes } from './resources/tasks/routes'
import { viewRoutes } from './resources/views/routes'
import { workspaceMemberRoutes } from './resources/workspace-members/routes'
import { deliveryRoutes } from './resources/webhooks/deliveries/routes'
import { testEndpointRoutes } from './resources/test-endpoints/routes'
import { webhookRoutes } from './resources/webhooks/routes'
import { scimRoutes } from './scim/routes'

export function createApp(appContext: AppContext) {
  const { brand, appUrl } = appContext.settings
  const answers = createAnswers(brand)
  const access = createTokenAuthenticator(appContext.db, appContext.now)
  const consoleContext = createConsoleContext(appContext)
  const guard = createRouteGuard(
    appContext,
    (request, bearer) =>
      consoleContext.gateway.callerOf(request) ??
      operationCaller.callerOf(request) ??
      access.authenticate(request.headers.get('authorization'), bearer),
  )

  const readPublicDocument = async (): Promise<OpenApiDocument & DocumentedOperations> =>
    (await app.handle(new Request(`${INNER_ORIGIN}/openapi.json`))).json()
  const operationCaller = createOperationCaller(readPublicDocument, (request): Promise<Response> => app.handle(request))

  // Elysia finds the route and collects the OpenAPI document; the route guard reads bodies and makes responses. Decision 0010.
  // With `standardHostname`, Elysia finds no path when the host name has fewer than four characters.
  const app = new Elysia({ normalize: false, handler: { standardHostname: false } })
    .use(globalHooks(answers, brand, appContext))
    .use(healthRoutes(answers, createReadinessCheck(appContext)))
    .use(metricsRoutes(answers, appContext.metrics))
    .use(oauthRoutes(appContext, access, answers))
    .use(docsRoutes(answers, appUrl))
    .use(webRoutes())
    .use(downloadRoutes(appContext, answers))
    .use(sessionRoutes(consoleContext))
    .use(secondFactorRoutes(consoleContext))
    .use(providerRoutes(consoleContext))
    .use(accountRoutes(consoleContext))
    .use(workspaceRoutes(consoleContext))
    .use(memberRoutes(consoleContext))
    .use(pictureRoutes(consoleContext, answers))
    .use(invitationRoutes(consoleContext))
    .use(consoleAccessRoutes(consoleContext))
    .use(keyRoutes(consoleContext))
    .use(fileImportRoutes(consoleContext))
    .use(consoleFileRoutes(consoleContext))
    .use(importRoutes(consoleContext))
    .use(inboxRoutes(consoleContext))
    .use(recordPageRoutes(consoleContext))
    .use(auditLogRoutes(consoleContext))
    .use(noteDocumentRoutes(consoleContext))
    .use(sqlQueryRoutes(consoleContext))
    .use(appRoutes(consoleContext))
    .use(authorizeRoutes(consoleContext))
    .use(gatewayRoutes(consoleContext.gateway, (request): Promise<Response> => app.handle(request)))
    // The routes after this line read a token.
    .use(bearerTokens())
    .use(apiRoutes(guard, appContext, access, readPublicDocument))
    .use(mcpRoutes(createEndpoint(appContext, access, operationCaller)))
    .use(scimRoutes(appContext, access, answers))
  return app
}

/** A plugin of its own for the same reason as `apiRoutes`. */
const consoleAccessRoutes = (consoleContext: ConsoleContext): AnyElysia =>
  new Elysia({ name: 'console-access' })
    .use(assistantRoutes(consoleContext))
    .use(teamRoutes(consoleContext))
    .use(listTeamRoutes(consoleContext))
    .use(objectAccessRoutes(consoleContext))
    .use(viewPinRoutes(consoleContext))
    .use(domainRoutes(consoleContext))
    .use(indexRoutes(consoleContext))
    .use(installationRoutes(consoleContext))
    .use(scimStatusRoutes(consoleContext))

/** A plugin of its own without its types, because TypeScript limits how many plugins one type is made of. */
const apiRoutes = (
  guard: RouteGuard,
  appContext: AppContext,
  access: TokenAuthenticator,
  readPublicDocument: () => Promise<OpenApiDocument>,
): AnyElysia =>
  new Elysia({ name: 'api' })
    .use(openApiDocumentRoutes(guard, readPublicDocument))
    .use(selfRoutes(guard, appContext, access))
    .use(objectRoutes(guard))
    .use(attributeRoutes(guard))
    .use(recordRoutes(guard))
    .use(recordBulkRoutes(guard))
    .use(trashRoutes(guard))
    .use(listRoutes(guard))
    .use(entryRoutes(guard))
    .use(entryBulkRoutes(guard))
    .use(jobRoutes(guard))
    .use(viewRoutes(guard))
    .use(noteRoutes(guard))
    .use(threadRoutes(guard))
    .use(commentRoutes(guard))
    .use(taskRoutes(guard))
    .use(fileRoutes(guard))
    .use(meetingRoutes(guard))
    .use(emailRoutes(guard))
    .use(sequenceRoutes(guard))
    .use(callRecordingRoutes(guard))
    .use(sqlRoutes(guard))
    .use(workspaceMemberRoutes(guard))
    .use(eventRoutes(guard))
    .use(webhookRoutes(guard))
    .use(deliveryRoutes(guard))
    .use(testEndpointRoutes(guard, appContext))

export type App = ReturnType<typeof createApp>
