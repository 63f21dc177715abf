/** Makes valid bodies from schemas. Hostile bodies are made from these. */

import type { Ids } from './fixtures'

/** The parts of a JSON schema that determine an example. */
export interface Schema {
  readonly $ref?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
}

const DEEPEST = 8

/** `resolve` returns the schema that a reference names. */
export function exampleOf(schema: Schema, resolve: (ref: string) => Schema, ids: Ids, depth = 0): unknown {
  if (depth > DEEPEST) return null
  if (schema.$ref !== undefined) return exampleOf(resolve(schema.$ref), resolve, ids, depth + 1)
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const [choice] = schema.anyOf ?? schema.oneOf ?? []
  if (choice !== undefined) return exampleOf(choice, resolve, ids, depth + 1)
  if (schema.allOf !== undefined)
    return Object.assign({}, ...schema.allOf.map((each) => exampleOf(each, resolve, ids, depth + 1)))
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0]
  if (schema.properties !== undefined || type === 'object') {
    const members = Object.entries(schema.properties ?? {}).map(([name, member]) => {
      const known = memberOf(name, ids)
      return [name, known === undefined ? exampleOf(member, resolve, ids, depth + 1) : known]
    })
    return Object.fromEntries(members)
  }
  if (type === 'array') return schema.items === undefined ? [] : [exampleOf(schema.items, resolve, ids, depth + 1)]
  return scalarOf(type, schema)
}

function scalarOf(type: string | undefined, { format, pattern, minimum }: Schema): unknown {
  if (type === 'integer' || type === 'number') return minimum ?? 1
  if (type === 'boolean') return true
  if (type === 'null') return null
  if (format === 'uuid') return '01890a5d-ac96-774b-bcce-b302099a8057'
  if (format === 'date-time') return '2024-01-01T00:00:00.000Z'
  if (format === 'uri' || pattern?.startsWith('^http') === true) return 'https://example.com/x'
  return 'example'
}

/** Returns the value of a member whose schema does not determine it. */
const memberOf = (name: string, ids: Ids): unknown =>
  new Map<string, unknown>([
    ['parent_object', 'people'],
    ['parent_record_id', ids.person],
    ['objects', ['people']],
    ['request_as', { type: 'workspace' }],
  ]).get(name)
