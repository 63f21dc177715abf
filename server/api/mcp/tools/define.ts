/** The declaration of a tool. Each file of this folder has the tools of one resource, and `registry.ts` lists them all. */

import { type Static, type TObject, type TString, Type } from 'typebox'
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
interface ToolEffect {
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

// Arguments that several tools have.

/** The endpoint adds the slugs of the workspace to arguments with these names. */
export const ObjectSlug = Type.String({ description: 'Slug of an object.' })
export const ListSlug = Type.String({ description: 'Slug of a list.' })
export const ActivitySlug = Type.String({ description: 'Slug of an activity.' })

export const RecordId = Type.String({ format: 'uuid', description: 'Id of a record.' })
export const EntryId = Type.String({ format: 'uuid', description: 'Id of an entry.' })

const DEFAULT_LIMIT = 20

export const page = (maximum: number) => ({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum, default: DEFAULT_LIMIT })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
})

/** The limit and the offset of a page with their defaults. */
export const pageOfArguments = ({ limit = DEFAULT_LIMIT, offset = 0 }: { limit?: number; offset?: number }) => ({
  limit,
  offset,
})

/** The offset of the next page, if this page is full. */
export const nextPage = (found: readonly unknown[], { limit, offset }: { limit: number; offset: number }) =>
  found.length < limit ? {} : { next_offset: offset + limit }

export const Values = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'Values by attribute slug, in short form: text, number, option title, email address, record id; arrays for several values; null clears. ' +
    'Examples: {"name": "Lovelace, Ada", "email_addresses": ["ada@example.com"], "stage": "Won"}.',
})

interface UpdateTool extends Pick<Tool, 'name' | 'title' | 'description'> {
  /** The operation without `Append` or `Overwrite`. */
  readonly operation: string
  /** The arguments that name the entity. */
  readonly params: Readonly<Record<string, TString>>
  /** The member of the body with the values. */
  readonly member?: string
  readonly written: (answer: unknown) => object
}

/** A tool that changes values of an entity. Several values are added to those that are there, or replace them with `replace`. */
export const defineUpdateTool = ({ operation, params, member = 'values', written, ...tool }: UpdateTool): Tool => ({
  ...tool,
  operations: [`${operation}Append`, `${operation}Overwrite`],
  effect: REPLACES,
  arguments: Type.Object({ ...params, values: Values, replace: Type.Optional(Type.Boolean({ default: false })) }),
  async run(given, { call }) {
    const { values, replace, ...named } = given
    const body = { data: { [member]: values } }
    // The arguments are checked against `arguments`, so those that name the entity are texts.
    const input = { params: named as Record<string, string>, body }
    return written(await call(`${operation}${replace === true ? 'Overwrite' : 'Append'}`, input))
  },
})

export const FilterArgument = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'Conditions by attribute slug: {"stage": "Won"}, {"amount": {"$gte": 100}}, {"name": {"last_name": {"$starts_with": "L"}}}. ' +
    'Operators: $eq $in $not_empty $contains $starts_with $ends_with $lt $lte $gt $gte $relative; get_data_model says which ones a type has. ' +
    'Relative to today in UTC: {"close_date": {"$relative": "next_7_days"}}, or this_week, last_month, overdue. ' +
    'Combine: {"$and": [..]}, {"$or": [..]}, {"$not": {..}}. ' +
    'Through a reference: {"path": [["people", "company"], ["companies", "name"]], "constraints": {"$contains": "x"}}.',
})

export const Sorts = Type.Array(
  Type.Object({
    attribute: Type.String(),
    direction: Type.Enum(['asc', 'desc']),
    field: Type.Optional(Type.String()),
  }),
  { maxItems: 5 },
)
