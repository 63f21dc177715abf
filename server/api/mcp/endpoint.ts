/**
 * The endpoint for assistants: the Model Context Protocol over streamable HTTP. Each request has its own server and nothing
 * is kept between requests, so any process can answer. See docs/reference/assistants.md (Endpoint); docs/decisions/assistants.md.
 */

import type { TokenAuthenticator } from '#access/tokens/authenticate'
import type { AppContext, RequestContext } from '#context'
import { requireAllScopes, untrustedOrigin, scopesRequired } from '#base/errors/access'
import { ApiError } from '#base/errors/api-error'
import { authenticateBy, tokenWay, type Caller } from '#api/http/guard/caller'
import { makeRequestContext } from '#api/http/guard/request-context'
import { readBody } from '#api/http/request/read-body'
import { createAnswers, newRequestId } from '#api/http/response/answer'
import { errorFromException } from '#api/http/response/error-from-exception'
import { ASSISTANT_RESOURCE_PATH } from '#access/oauth/metadata'
import { type OperationCaller, OperationFailed, type Operations } from './operation-caller'
import type { Server } from '@modelcontextprotocol/server'
import { describeEntityType, describeEntityTypes } from './answers'
import { findVisible, visibleEntityTypes } from './tools/data-model'
import type { Tool } from './tools/define'
import { TOOLS } from './tools/registry'
import { includesScope } from '#vocabulary/scopes'
import { visibleLists } from '#access/list-access/list-access'
import { mayKnow } from '#engine/data-model/access/hidden'
import { hasRecords } from '#engine/data-model/model'
import { logError } from '#base/logging/log-error'
import { compileCheck } from '#base/validation/compile-check'
import { insertToolCall } from './calls'

/** Answers one request to the endpoint. `bearer` is the token that `bearerTokens` read. */
export type AnswerAssistant = (request: Request, bearer: string | undefined) => Promise<Response>

/** Every tool reads the data model. */
const NEEDED = ['object_configuration:read'] as const

export function createMcpEndpoint(
  appContext: AppContext,
  access: TokenAuthenticator,
  caller: OperationCaller,
): AnswerAssistant {
  const { settings } = appContext
  const answers = createAnswers(settings.brand)
  const metadataUrl = settings.appUrl + ASSISTANT_RESOURCE_PATH

  const authenticate = authenticateBy([tokenWay(appContext, access, 'mcp')])
  const answer = async (request: Request, bearer: string | undefined): Promise<Response> => {
    refuseOtherOrigin(request, settings.appUrl)
    const authenticated = await authenticate(request, bearer)
    requireAllScopes(authenticated.scopes, NEEDED)
    const parsedBody = request.method === 'POST' ? await readBody(request, settings.bodyLimit) : undefined
    const assistantRequest: AssistantRequest = {
      appContext,
      caller: authenticated,
      context: await makeRequestContext(appContext, authenticated, request),
      operations: await caller.operations(),
    }
    return serve(assistantRequest, request, parsedBody)
  }
  return async (request, bearer) => {
    const id = newRequestId()
    try {
      const response = await answer(request, bearer)
      for (const [name, value] of Object.entries(answers.headers(id))) response.headers.set(name, value)
      response.headers.set('Cache-Control', 'no-store')
      return response
    } catch (error) {
      return answers.error(request, id, withMetadata(errorFromException(error, request, id), metadataUrl))
    }
  }
}

/** The SDK takes a second to load, so that it is loaded at the first request. */
async function serve(assistantRequest: AssistantRequest, request: Request, parsedBody: unknown): Promise<Response> {
  const sdk = await import('@modelcontextprotocol/server')
  const handler = sdk.createMcpHandler(() => makeServer(sdk, assistantRequest))
  return handler.fetch(request, parsedBody === undefined ? {} : { parsedBody })
}

/** Pages of other origins are refused, also those that reach this service by DNS rebinding. */
function refuseOtherOrigin({ headers }: Request, appUrl: string): void {
  const origin = headers.get('origin')
  if (origin !== null && origin !== new URL(appUrl).origin) throw untrustedOrigin()
}

/** Names the metadata of this resource, where a client finds the authorization server. RFC 9728, 5.1. */
function withMetadata({ status, type, code, message, extra, headers }: ApiError, metadataUrl: string): ApiError {
  const challenge = headers['WWW-Authenticate']
  if (challenge === undefined) return new ApiError(status, type, code, message, extra, headers)
  const separator = challenge.includes('=') ? ', ' : ' '
  const withUrl = `${challenge}${separator}resource_metadata="${metadataUrl}"`
  return new ApiError(status, type, code, message, extra, { ...headers, 'WWW-Authenticate': withUrl })
}

/**
 * Makes the MCP server of one request: its tools are those that the scopes of the caller allow, and its resources describe
 * the data model that the caller may see. See docs/reference/assistants.md (Tools, Data model).
 */
type Sdk = typeof import('@modelcontextprotocol/server')

const INSTRUCTIONS =
  'A customer relationship data service. Objects such as people and companies have records; lists have entries, which are records with values of their own; activities such as phone calls have records that refer to others. ' +
  'Call get_data_model before you write filters or values. Ids are UUIDs; slugs name objects, lists, activities and attributes.'

const OVERVIEW = 'relata://data-model'

function makeServer(sdk: Sdk, assistantRequest: AssistantRequest): Server {
  const info = { name: 'relata', title: `Relata: ${assistantRequest.context.model.workspace.name}`, version: '2.0.0' }
  const server = new sdk.Server(info, { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS })
  serveTools(sdk, server, assistantRequest)
  serveResources(sdk, server, assistantRequest)
  return server
}

function serveTools(sdk: Sdk, server: Server, assistantRequest: AssistantRequest): void {
  server.setRequestHandler('tools/list', () => ({
    tools: allowedTools(assistantRequest).map((tool) => render(tool, assistantRequest)),
  }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = TOOLS.find(({ name }) => name === params.name)
    if (tool === undefined) {
      throw new sdk.ProtocolError(
        sdk.ProtocolErrorCode.InvalidParams,
        `There is no tool ${JSON.stringify(params.name)}.`,
      )
    }
    // The client cancels the call by a notification, or by closing the connection.
    const closed = assistantRequest.context.signal
    const signal = closed === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, closed])
    const { text, isError } = await runTool(assistantRequest, tool, params.arguments ?? {}, signal)
    return { content: [{ type: 'text', text }], isError }
  })
}

function render(tool: Tool, assistantRequest: AssistantRequest) {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    annotations: { title: tool.title, ...tool.effect, openWorldHint: false },
    inputSchema: withSlugs(tool, assistantRequest),
  }
}

/** With more slugs, the list of tools would be long; get_data_model names them. */
const MAX_SLUGS = 40

/** The arguments, in which `object`, `list` and `activity` name the slugs of the workspace. */
function withSlugs({ arguments: schema }: Tool, { context }: AssistantRequest) {
  const entityTypes = visibleEntityTypes(context)
  const slugs = (kind: string) => entityTypes.filter((each) => each.kind === kind).map(({ api_slug }) => api_slug)
  const properties = Object.entries(schema.properties).map(([name, property]) => {
    const allowed = ['object', 'list', 'activity'].includes(name) ? slugs(name) : []
    return [name, allowed.length > 0 && allowed.length <= MAX_SLUGS ? { ...property, enum: allowed } : property]
  })
  // Through JSON, because the schemas have further members for their own use.
  return JSON.parse(JSON.stringify({ ...schema, properties: Object.fromEntries(properties) }))
}

function serveResources(sdk: Sdk, server: Server, { context }: AssistantRequest): void {
  server.setRequestHandler('resources/list', () => ({
    resources: [
      { uri: OVERVIEW, name: 'Data model', description: 'The objects, lists and activities', mimeType: 'text/plain' },
      ...visibleEntityTypes(context).map(({ api_slug, kind }) => ({
        uri: `${OVERVIEW}/${api_slug}`,
        name: api_slug,
        description: `The attributes of the ${kind} ${api_slug}`,
        mimeType: 'text/plain',
      })),
    ],
  }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      {
        uriTemplate: `${OVERVIEW}/{slug}`,
        name: 'Attributes',
        description: 'The attributes of an object, a list or an activity',
      },
    ],
  }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const text = readResource(uri)
    if (text === undefined)
      throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, 'There is no such resource.')
    return { contents: [{ uri, mimeType: 'text/plain', text }] }
  })

  function readResource(uri: string): string | undefined {
    if (uri === OVERVIEW) return describeEntityTypes(context.model, visibleEntityTypes(context))
    const slug = uri.startsWith(`${OVERVIEW}/`) ? uri.slice(OVERVIEW.length + 1) : ''
    const entityType = findVisible(context, slug)
    return entityType && describeEntityType(context.model, entityType)
  }
}

// Runs a tool for a caller and records the call. Errors are answers, so that the assistant can correct its arguments.

interface ToolResult {
  readonly text: string
  readonly isError: boolean
}

/** One request to the endpoint. */
interface AssistantRequest {
  readonly appContext: AppContext
  readonly context: RequestContext
  readonly caller: Caller
  readonly operations: Operations
}

const checks = new Map(TOOLS.map((tool) => [tool.name, compileCheck(tool.arguments)]))

/** The tools whose operations the scopes of the caller allow. */
const allowedTools = ({ caller, operations }: AssistantRequest): readonly Tool[] =>
  TOOLS.filter((tool) => missingScopes(tool, caller, operations).length === 0)

const missingScopes = (tool: Tool, { scopes }: Caller, operations: Operations) =>
  tool.operations.flatMap((id) => operations.scopesOf(id)).filter((scope) => !includesScope(scopes, scope))

/** An error of the tool is not thrown, but is the text of a result with `isError`. */
async function runTool(
  assistantRequest: AssistantRequest,
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<ToolResult> {
  const startedAt = performance.now()
  const outcome = await run(assistantRequest, tool, given, signal)
  const { appContext, caller } = assistantRequest
  await insertToolCall(appContext.db, {
    workspaceId: caller.workspaceId,
    actor: caller.actor,
    tool: tool.name,
    ...subjectOf(assistantRequest, given),
    status: signal.aborted ? CANCELLED : outcome.status,
    durationMs: Math.round(performance.now() - startedAt),
    now: appContext.now(),
  })
  return { text: outcome.text, isError: outcome.status >= 400 }
}

/** The client closed the connection. */
const CANCELLED = 499

interface Outcome {
  readonly status: number
  readonly text: string
}

async function run(
  { context, caller, operations }: AssistantRequest,
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<Outcome> {
  const missing = missingScopes(tool, caller, operations)
  if (missing.length > 0) return { status: 403, text: scopesRequired(missing).message }
  const [issue] = checks.get(tool.name)?.(given) ?? []
  if (issue !== undefined) return { status: 400, text: `Argument ${issue.path.join('.')}: ${issue.message}` }
  try {
    const call = (operation: string, input: Parameters<Operations['call']>[2]) =>
      operations.call(caller, operation, input, signal)
    const lines = (operation: string, input: Parameters<Operations['lines']>[2]) =>
      operations.lines(caller, operation, input, signal)
    const result = await tool.run(given, { context, call, lines })
    return { status: 200, text: typeof result === 'string' ? result : JSON.stringify(result) }
  } catch (error) {
    if (error instanceof OperationFailed || error instanceof ApiError)
      return { status: error.status, text: error.message }
    if (!signal.aborted) logError(`The tool ${tool.name} failed.`, error)
    return { status: 500, text: 'Something went wrong inside the service.' }
  }
}

/** What the call was about. A slug is recorded only if the caller may know it, since arguments can hold any text. */
function subjectOf({ context }: AssistantRequest, given: Readonly<Record<string, unknown>>) {
  const { model } = context
  const slug = given.object ?? given.list ?? given.activity ?? given.slug
  const objects = model.entityTypes.filter((each) => hasRecords(each) && mayKnow(each))
  const isKnown = [...objects, ...visibleLists(context)].some(({ api_slug }) => api_slug === slug)
  const id = given.record_id ?? given.entry_id ?? given.note_id ?? given.task_id ?? given.thread_id
  return {
    subject: isKnown ? (slug as string) : null, // as the slug that was found
    subjectId: typeof id === 'string' && UUID.test(id) ? id : null,
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
