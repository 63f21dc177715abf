/** A mapping held against the data model: what each column is bound to, and which attributes would have to be made. */

import { findClosest, findAttribute, visibleAttributes } from '../../data-model/find'
import type { Attribute, DataModel, ObjectType } from '../../data-model/model'
import type { TypeName } from '../../data-model/type-names'
import { converterOf } from '../convert/registry'
import { partsOf } from '../convert/parts'
import { renderTarget, type Target } from './mapping'
import { ImportError } from '../import-error'

export interface BoundColumn {
  readonly index: number
  readonly name: string
  readonly part: string | undefined
}

export interface Binding {
  readonly attribute: Attribute
  readonly columns: readonly BoundColumn[]
}

/** An attribute that the mapping wants and the object does not have. */
export interface MissingAttribute {
  readonly title: string
  readonly api_slug: string
  readonly type: TypeName
  readonly is_multiselect: boolean
  readonly currency: string | undefined
}

type Columns = ReadonlyMap<string, Target | null>

/** Throws `ImportError` for targets that say no type and name no attribute. */
export function findMissing(object: ObjectType, columns: Columns): MissingAttribute[] {
  const missing = new Map<string, MissingAttribute>()
  for (const [title, target] of columns) {
    if (!target || findAttribute(object, target.slug)) continue
    const { slug: api_slug, type, isMultiselect: is_multiselect = false, currency } = target
    if (type === undefined) throw unknownAttribute(object, title, target)
    const before = missing.get(api_slug)
    if (before && before.type !== type) throw new ImportError(`The mapping gives "${api_slug}" two types.`)
    missing.set(api_slug, before ?? { title, api_slug, type, is_multiselect, currency })
  }
  return [...missing.values()]
}

function unknownAttribute(object: ObjectType, column: string, target: Target): ImportError {
  const meant = findClosest(
    target.slug,
    object.attributes.map(({ api_slug }) => api_slug),
  )
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`
  return new ImportError(
    `"${column}" goes to "${target.slug}", which ${object.api_slug} does not have.${hint} ` +
      `To have it made, say its type: "${target.slug}:text".`,
  )
}

/** Binds the columns of a file to attributes that are all there. Throws `ImportError`. */
export function bindColumns(
  model: DataModel,
  object: ObjectType,
  header: readonly string[],
  columns: Columns,
): Binding[] {
  const names = new Set(header)
  for (const name of columns.keys()) if (!names.has(name)) throw unknownColumn(header, name)
  const bound = new Map<Attribute, BoundColumn[]>()
  for (const [index, name] of header.entries()) {
    const target = names.delete(name) ? columns.get(name) : undefined // of several without a name, the first
    if (!target) continue
    const attribute = getTargetAttribute(model, object, name, target)
    const column = { index, name, part: target.part }
    const others = bound.get(attribute)
    if (others) others.push(column)
    else bound.set(attribute, [column])
  }
  const bindings = [...bound].map(([attribute, each]) => ({ attribute, columns: each }))
  bindings.forEach(refuseCollision)
  return bindings
}

function unknownColumn(header: readonly string[], name: string): ImportError {
  const meant = findClosest(name, header)
  return new ImportError(`The file has no column "${name}".${meant === undefined ? '' : ` Did you mean "${meant}"?`}`)
}

function getTargetAttribute(model: DataModel, object: ObjectType, column: string, target: Target): Attribute {
  const attribute = findAttribute(object, target.slug)
  const wanted = renderTarget(target)
  if (!attribute) throw unknownAttribute(object, column, target)
  if (!visibleAttributes(model, object).includes(attribute)) throw new ImportError(`"${target.slug}" is archived.`)
  if (!attribute.is_writable || !converterOf(attribute.type)) {
    throw new ImportError(`"${column}" goes to "${target.slug}", which the service fills by itself.`)
  }
  const isOther = target.type !== undefined && target.type !== attribute.type
  const isOtherCount = target.type !== undefined && target.isMultiselect !== attribute.is_multiselect
  if (isOther || isOtherCount) {
    const own = `${attribute.type}${attribute.is_multiselect ? '[]' : ''}`
    throw new ImportError(
      `"${column}" goes to "${wanted}", but "${attribute.api_slug}" is there already and is ${own}.`,
    )
  }
  if (target.part !== undefined && !partsOf(attribute.type).includes(target.part)) {
    throw new ImportError(
      `"${wanted}" is no part of an attribute: ${attribute.type} has ${partsOf(attribute.type).join(', ') || 'none'}.`,
    )
  }
  return attribute
}

/** Several columns make one value only of different parts, and several values only where those are allowed. */
function refuseCollision({ attribute, columns }: Binding): void {
  const parts = new Set(columns.map(({ part }) => part))
  const isFine =
    columns.length === 1 ||
    (parts.has(undefined) ? parts.size === 1 && attribute.is_multiselect : parts.size === columns.length)
  if (isFine) return
  const names = columns.map(({ name }) => `"${name}"`).join(' and ')
  throw new ImportError(`${names} go to the same place of "${attribute.api_slug}"; leave one of them out.`)
}
