/** Finds the members of a body that its schema does not name. See docs/reference/errors-and-limits.md (Unknown members). */

import type { TSchema } from 'typebox'
import type { JsonSchema } from './compile-check'

/** What a schema names: the members of objects and the elements of arrays. `any` stands for a schema that does not restrict them. */
type Names = 'any' | { readonly members: ReadonlyMap<string, Names>; readonly items?: Names | undefined }

/** Returns a function that returns the JSON pointers of unknown members, at most `limit`. */
export function compileUnknownMembers(schema: TSchema, limit: number): (value: unknown) => string[] {
  let names: Names | undefined
  return (value) => {
    names ??= namesOf(schema as JsonSchema) // a TypeBox schema is a JSON schema
    const found: string[] = []
    collect(names, value, '', { found, limit })
    return found
  }
}

function namesOf(schema: JsonSchema): Names {
  const parts = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (parts !== undefined) return merge(parts.map(namesOf))
  const { type, items, properties, patternProperties, additionalProperties } = schema
  const members = new Map<string, Names>()
  if (type === 'array') return { members, items: items === undefined ? 'any' : namesOf(items) }
  if (type !== 'object') return isScalar(schema) ? { members } : 'any'
  const isOpen = patternProperties !== undefined || (additionalProperties ?? false) !== false
  if (properties === undefined || isOpen) return 'any'
  for (const [name, member] of Object.entries(properties)) members.set(name, namesOf(member))
  return { members }
}

const isScalar = (schema: JsonSchema): boolean =>
  typeof schema.type === 'string' || schema.const !== undefined || schema.enum !== undefined

/** A name of one branch is a name of the whole, because the value may belong to that branch. */
function merge(branches: readonly Names[]): Names {
  const closed = branches.filter((branch) => branch !== 'any')
  if (closed.length < branches.length) return 'any'
  const members = new Map<string, Names>()
  for (const [name, member] of closed.flatMap((branch) => [...branch.members])) {
    const other = members.get(name)
    members.set(name, other === undefined ? member : merge([other, member]))
  }
  const items = closed.flatMap((branch) => branch.items ?? [])
  return { members, items: items.length === 0 ? undefined : merge(items) }
}

interface Findings {
  readonly found: string[]
  readonly limit: number
}

function collect(names: Names, value: unknown, pointer: string, findings: Findings): void {
  if (names === 'any' || typeof value !== 'object' || value === null) return
  const { found, limit } = findings
  if (Array.isArray(value)) {
    if (names.items === undefined || names.items === 'any') return
    for (let index = 0; index < value.length && found.length < limit; index++)
      collect(names.items, value[index], `${pointer}/${index}`, findings)
    return
  }
  for (const [name, member] of Object.entries(value)) {
    if (found.length >= limit) return
    const known = names.members.get(name)
    if (known === 'any') continue
    const path = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (known === undefined) found.push(path)
    else collect(known, member, path, findings)
  }
}
