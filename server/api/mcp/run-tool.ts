/** Runs a tool for a caller and records the call. Errors are answers, so that the assistant can correct its arguments. */

import { includesScope } from '#vocabulary/scopes'
import { scopesRequired } from '#base/errors/access'
import { visibleLists } from '#access/list-access/list-access'
import type { AppContext, RequestContext } from '#context'
import { mayKnow } from '#engine/data-model/access/hidden'
import { hasRecords } from '#engine/data-model/model'
import { ApiError } from '#base/errors/api-error'
import type { Caller } from '#api/http/guard/caller'
import { logError } from '#base/logging/log-error'
import { compileCheck } from '#base/validation/compile-check'
import { insertToolCall } from './calls'
import { OperationFailed, type Operations } from './operation-caller'
import type { Tool } from './tools/define'
import { TOOLS } from './tools/registry'

export interface ToolResult {
  readonly text: string
  readonly isError: boolean
}

/** One request to the endpoint. */
export interface AssistantRequest {
  readonly appContext: AppContext
  readonly context: RequestContext
  readonly caller: Caller
  readonly operations: Operations
}

const checks = new Map(TOOLS.map((tool) => [tool.name, compileCheck(tool.arguments)]))

/** The tools whose operations the scopes of the caller allow. */
export const allowedTools = ({ caller, operations }: AssistantRequest): readonly Tool[] =>
  TOOLS.filter((tool) => missingScopes(tool, caller, operations).length === 0)

const missingScopes = (tool: Tool, { scopes }: Caller, operations: Operations) =>
  tool.operations.flatMap((id) => operations.scopesOf(id)).filter((scope) => !includesScope(scopes, scope))

/** An error of the tool is not thrown, but is the text of a result with `isError`. */
export async function runTool(
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
