/** The application, one line per resource. */

import { type AnyElysia, Elysia } from 'elysia'
import { createTokenAuthenticator, type TokenAuthenticator } from './access/tokens/authenticate'
import { createConsoleContext } from './api/console/console-context'
import { consoleRoutes } from './api/console/console-routes'
import { createAnswers } from './api/http/response/answer'
import { docsRoutes } from './api/http/documentation/docs'
import { authenticateBy, bearerTokens, tokenWay } from './api/http/guard/caller'
import type { RouteGuard } from './api/http/guard/route'
import { createRouteGuard } from './api/http/guard/route-guard'
import { globalHooks } from './api/http/guard/global-hooks'
import { createReadinessCheck, healthRoutes } from './api/http/monitoring/health'
import { metricsRoutes } from './api/http/monitoring/metrics-route'
import { asInner, observeRequests } from './api/http/monitoring/observe-requests'
import { downloadRoutes } from './api/http/signed-downloads/routes'
import { unsubscribeRoutes } from './api/http/unsubscribe/routes'
import { webRoutes } from './api/http/console-files/console-files'
import type { AppContext } from './context'
import { createMcpEndpoint } from './api/mcp/endpoint'
import { createOperationCaller, type DocumentedOperations, INNER_ORIGIN } from './api/mcp/operation-caller'
import { mcpRoutes } from './api/mcp/routes'
import { activityRoutes } from './api/resources/activities/routes'
import { activityRecordRoutes } from './api/resources/activity-records/routes'
import { attributeRoutes } from './api/resources/attributes/routes'
import { callRecordingRoutes } from './api/resources/call-recordings/routes'
import { commentRoutes } from './api/resources/comments/routes'
import { emailRoutes } from './api/resources/emails/routes'
import { entryRoutes } from './api/resources/entries/routes'
import { eventRoutes } from './api/resources/events/routes'
import { fileRoutes } from './api/resources/files/routes'
import { jobRoutes } from './api/resources/jobs/routes'
import { listRoutes } from './api/resources/lists/routes'
import { meetingRoutes } from './api/resources/meetings/routes'
import { noteRoutes } from './api/resources/notes/routes'
import { oauthRoutes } from './api/resources/oauth/routes'
import { objectRoutes } from './api/resources/objects/routes'
import { openApiDocumentRoutes } from './api/resources/openapi-document/routes'
import type { OpenApiDocument } from './api/resources/openapi-document/workspace-document'
import { recordRoutes } from './api/resources/records/routes'
import { trashRoutes } from './api/resources/records/trash/routes'
import { selfRoutes } from './api/resources/self/routes'
import { emailTemplateRoutes } from './api/resources/email-templates/routes'
import { sentEmailRoutes } from './api/resources/sent-emails/routes'
import { sequenceRoutes } from './api/resources/sequences/routes'
import { sqlRoutes } from './api/resources/sql/routes'
import { threadRoutes } from './api/resources/threads/routes'
import { taskRoutes } from './api/resources/tasks/routes'
import { viewRoutes } from './api/resources/views/routes'
import { workspaceMemberRoutes } from './api/resources/workspace-members/routes'
import { deliveryRoutes } from './api/resources/webhooks/deliveries/routes'
import { testEndpointRoutes } from './api/resources/test-endpoints/routes'
import { webhookRoutes } from './api/resources/webhooks/routes'
import { scimRoutes } from './api/scim/routes'

export function createApp(appContext: AppContext) {
  const { brand, appUrl } = appContext.settings
  const answers = createAnswers(brand)
  const access = createTokenAuthenticator(appContext.db, appContext.now)
  const consoleContext = createConsoleContext(appContext)
  const handleInner = (request: Request): Promise<Response> => app.handle(asInner(request))
  const readPublicDocument = async (): Promise<OpenApiDocument & DocumentedOperations> =>
    (await handleInner(new Request(`${INNER_ORIGIN}/openapi.json`))).json()
  const operationCaller = createOperationCaller(readPublicDocument, handleInner)
  const authenticate = authenticateBy([consoleContext.gateway, operationCaller, tokenWay(appContext, access)])
  const guard = createRouteGuard(appContext, authenticate)

  // Elysia finds the route and collects the OpenAPI document; the route guard reads bodies and makes responses.
  // See docs/decisions/route-guard.md.
  // With `standardHostname`, Elysia finds no path when the host name has fewer than four characters.
  const app = new Elysia({ normalize: false, handler: { standardHostname: false } })
    .use(observeRequests(appContext.monitor))
    .use(globalHooks(answers, brand, appContext))
    .use(healthRoutes(answers, createReadinessCheck(appContext)))
    .use(metricsRoutes(answers, appContext.metrics))
    .use(oauthRoutes(appContext, access, answers))
    .use(docsRoutes(answers, appUrl))
    .use(webRoutes())
    .use(downloadRoutes(appContext, answers))
    .use(unsubscribeRoutes(appContext))
    .use(consoleRoutes(consoleContext, answers, handleInner))
    // The routes after this line read a token.
    .use(bearerTokens())
    .use(apiRoutes(guard, appContext, access, readPublicDocument))
    .use(mcpRoutes(createMcpEndpoint(appContext, access, operationCaller)))
    .use(scimRoutes(appContext, access, answers))
  return app
}

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
    .use(trashRoutes(guard))
    .use(activityRoutes(guard))
    .use(activityRecordRoutes(guard))
    .use(listRoutes(guard))
    .use(entryRoutes(guard))
    .use(jobRoutes(guard))
    .use(viewRoutes(guard))
    .use(noteRoutes(guard))
    .use(threadRoutes(guard))
    .use(commentRoutes(guard))
    .use(taskRoutes(guard))
    .use(fileRoutes(guard))
    .use(meetingRoutes(guard))
    .use(emailRoutes(guard))
    .use(sentEmailRoutes(guard))
    .use(emailTemplateRoutes(guard))
    .use(sequenceRoutes(guard))
    .use(callRecordingRoutes(guard))
    .use(sqlRoutes(guard))
    .use(workspaceMemberRoutes(guard))
    .use(eventRoutes(guard))
    .use(webhookRoutes(guard))
    .use(deliveryRoutes(guard))
    .use(testEndpointRoutes(guard, appContext))

export type App = ReturnType<typeof createApp>
