/** The application, one line per resource. */
import { type AnyElysia, Elysia } from 'elysia'
import { MCP_PATH } from '#access/oauth/metadata'
import { createTokenAuthenticator, type TokenAuthenticator } from './access/tokens/authenticate'
import { createConsoleContext } from './api/console/console-context'
import { consoleRoutes } from './api/console/console-routes'
import { servePage, wantsPage, webRoutes } from './api/http/console-files/console-files'
import { docsRoutes } from './api/http/documentation/docs'
import { authenticateBy, bearerTokens, tokenWay } from './api/http/guard/caller'
import { inStandardForm, isForClients } from './api/http/guard/oauth-endpoint'
import type { RouteGuard } from './api/http/guard/route'
import { createRouteGuard } from './api/http/guard/route-guard'
import { createReadinessCheck, healthRoutes } from './api/http/monitoring/health'
import { metricsRoutes } from './api/http/monitoring/metrics-route'
import { asInner, observeRequests } from './api/http/monitoring/observe-requests'
import { isHostValid, pathOf } from './api/http/request/request-url'
import { type Answers, createAnswers, newRequestId } from './api/http/response/answer'
import { createConsoleAnswers, isForConsole } from './api/http/response/console-answer'
import { errorFromException } from './api/http/response/error-from-exception'
import { authorizationErrorPage } from './api/http/response/error-page'
import { preflightHeaders } from './api/http/response/headers'
import { isForScim, scimErrorResponse } from './api/http/scim/scim-endpoint'
import { downloadRoutes } from './api/http/signed-downloads/routes'
import { unsubscribeRoutes } from './api/http/unsubscribe/routes'
import { type AnswerAssistant, createMcpEndpoint } from './api/mcp/endpoint'
import { createOperationCaller, type DocumentedOperations, INNER_ORIGIN } from './api/mcp/operation-caller'
import { activityRoutes } from './api/resources/activities/routes'
import { activityRecordRoutes } from './api/resources/activity-records/routes'
import { attributeRoutes } from './api/resources/attributes/routes'
import { callRecordingRoutes } from './api/resources/call-recordings/routes'
import { commentRoutes } from './api/resources/comments/routes'
import { dashboardRoutes } from './api/resources/dashboards/routes'
import { emailTemplateRoutes } from './api/resources/email-templates/routes'
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
import { sentEmailRoutes } from './api/resources/sent-emails/routes'
import { sequenceRoutes } from './api/resources/sequences/routes'
import { sqlRoutes } from './api/resources/sql/routes'
import { taskRoutes } from './api/resources/tasks/routes'
import { testEndpointRoutes } from './api/resources/test-endpoints/routes'
import { threadRoutes } from './api/resources/threads/routes'
import { viewRoutes } from './api/resources/views/routes'
import { deliveryRoutes } from './api/resources/webhooks/deliveries/routes'
import { webhookRoutes } from './api/resources/webhooks/routes'
import { workspaceMemberRoutes } from './api/resources/workspace-members/routes'
import { scimRoutes } from './api/scim/routes'
import type { ApiError } from './base/errors/api-error'
import { invalidHost, routeNotFound, serviceUnavailable, urlTooLong } from './base/errors/http'
import type { AppContext } from './context'

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
    .use(healthRoutes(answers, createReadinessCheck(appContext), { replica: appContext.replica }))
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
    .use(dashboardRoutes(guard))
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

export type Application = ReturnType<typeof createApp>

// Counts requests, and answers those that reach no route: preflights, URLs that are too long, invalid hosts, unknown paths, and all
// requests of a process that is superseded.
// A browser gets the console's page for a path without a route.

const MAX_URL_LENGTH = 16 * 1024

/** A process that is superseded still answers health checks. */
const HEALTH_PATHS = ['/healthz', '/readyz']
/** Until then, a load balancer has found a process of the newer version. */
const SUPERSEDED_RETRY_AFTER_MS = 5000

export const globalHooks = (
  answers: Answers,
  brand: string,
  { requests, superseded }: Pick<AppContext, 'requests' | 'superseded'>,
) => {
  const preflight = preflightHeaders(brand)
  const ownPages = createConsoleAnswers(brand)
  const refuse = (request: Request, id: string, error: ApiError) => {
    const path = pathOf(request)
    if (isAuthorizationRequest(request, path)) return authorizationErrorPage(error, request)
    if (isForConsole(path)) return ownPages.error(id, error)
    if (isForScim(path)) return scimErrorResponse(answers, request, id, error)
    return answers.error(request, id, isForClients(path) ? inStandardForm(error) : error)
  }

  return new Elysia({ name: 'global-hooks' })
    .onRequest(({ request }) => {
      requests.add()
      if (superseded?.signal.aborted === true && !HEALTH_PATHS.includes(pathOf(request)))
        return refuse(request, newRequestId(), serviceUnavailable(new Date(Date.now() + SUPERSEDED_RETRY_AFTER_MS)))
      if (request.url.length > MAX_URL_LENGTH) return refuse(request, newRequestId(), urlTooLong())
      if (!isHostValid(request)) return refuse(request, newRequestId(), invalidHost())
      if (request.method === 'OPTIONS' && !isForConsole(pathOf(request)))
        return new Response(null, { status: 204, headers: { ...answers.headers(newRequestId()), ...preflight } })
      return undefined
    })
    .onError({ as: 'global' }, ({ request, error, code }) => {
      const id = newRequestId()
      const path = pathOf(request)
      const failure =
        code === 'NOT_FOUND' ? routeNotFound(request.method, path) : errorFromException(error, request, id)
      if (failure.status === 404 && wantsPage(request, path)) return servePage(request, { status: 404 })
      return refuse(request, id, failure)
    })
}

/** Whether the request comes from a browser at the authorization endpoint, whose errors are pages. */
const isAuthorizationRequest = ({ method }: Request, path: string): boolean =>
  path === '/authorize' && (method === 'GET' || method === 'POST')

const HOOK = { parse: 'none', detail: { hide: true } } as const

/** The endpoint reads its own body. Comes after `bearerTokens`. Without its types, for the reason of `apiRoutes`. */
function mcpRoutes(answer: AnswerAssistant): AnyElysia {
  const handle = ({ request, bearer }: { request: Request; bearer?: string | undefined }) => answer(request, bearer)
  return new Elysia({ name: 'mcp' })
    .get(MCP_PATH, handle, HOOK)
    .post(MCP_PATH, handle, HOOK)
    .delete(MCP_PATH, handle, HOOK)
}
