/** The declaration of a tool. Each file of this folder has the tools of one resource, and `registry.ts` lists them all. */

import type { Static, TObject } from 'typebox'
import type { RequestContext } from '#context'
import type { Lines, LinesInput, OperationInput } from '#api/mcp/operation-caller'

/** The call of a tool. */
export interface ToolCall {
  readonly context: RequestContext
  /** Calls an operation of the API. The response has its result in `data`. Throws `OperationFailed`. */
  call(operation: string, input: OperationInput): Promise<unknown>
  /** Returns the first lines of an operation that can answer with NDJSON. Throws `OperationFailed`. */
  lines(operation: string, input: LinesInput): Promise<Lines>
}

/** Hints for the assistant: whether it may call the tool without asking a person. */
export interface ToolEffect {
  readonly readOnlyHint: boolean
  /** Whether it can replace or delete what is stored. */
  readonly destructiveHint?: boolean
  /** Whether a second call with the same arguments changes nothing more. */
  readonly idempotentHint?: boolean
}

export interface Tool<A extends TObject = TObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  /** The operations that it calls. Its scopes are theirs. */
  readonly operations: readonly string[]
  readonly effect: ToolEffect
  readonly arguments: A
  /** Returns what the assistant reads: text as it stands, anything else as JSON. */
  run(given: Static<A>, call: ToolCall): Promise<unknown>
}

export const defineTool = <A extends TObject>(tool: Tool<A>): Tool => tool as unknown as Tool // the arguments are checked against `arguments` before `run`

export const READS: ToolEffect = { readOnlyHint: true }
export const ADDS: ToolEffect = { readOnlyHint: false, destructiveHint: false, idempotentHint: false }
export const REPLACES: ToolEffect = { readOnlyHint: false, destructiveHint: true, idempotentHint: true }
