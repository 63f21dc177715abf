/** Binds the columns of a mapping to attributes, and finds the attributes that do not exist. */

import type { ConfigInput } from '#engine/attribute-types/definition/config'
import { closestSlug } from '#engine/data-model/access/hidden'
import { findAttribute, visibleAttributes } from '#engine/data-model/find'
import { findClosest } from '#base/text/find-closest'
import type { Attribute, DataModel, ObjectType } from '#engine/data-model/model'
import type { TypeName } from '#vocabulary/data-model'
import { type Binding, type BoundColumn, ImportError } from '#transfer/import/import-context'
import { isImportable, partsOf } from '#transfer/import/convert/converters'
import { renderTarget, type Target } from './mapping'

/** An attribute that the mapping names and the object does not have. */
export interface MissingAttribute {
  readonly title: string
  readonly api_slug: string
  readonly type: TypeName
  readonly is_multiselect: boolean
  readonly currency: string | undefined
}

/** The configuration of a missing attribute, as a request would give it. Only a type that has a currency reads it. */
export const requestedConfig = ({ currency }: MissingAttribute): ConfigInput =>
  currency === undefined ? {} : { currency: { default_currency_code: currency, display_type: 'symbol' } }

type ColumnTargets = ReadonlyMap<string, Target | null>

/** Throws `ImportError` for a target without a type that names no attribute. */
export function findMissingAttributes(object: ObjectType, columns: ColumnTargets): MissingAttribute[] {
  const missing = new Map<string, MissingAttribute>()
  for (const [title, target] of columns) {
    if (!target || findAttribute(object, target.slug)) continue
    const { slug: api_slug, type, isMultiselect: is_multiselect = false, currency } = target
    if (type === undefined) throw unknownAttribute(object, title, target)
    const earlier = missing.get(api_slug)
    if (earlier && earlier.type !== type) throw new ImportError(`The mapping gives "${api_slug}" two types.`)
    const named = target.part === undefined ? title : titleOf(api_slug)
    missing.set(api_slug, earlier ?? { title: named, api_slug, type, is_multiselect, currency })
  }
  return [...missing.values()]
}

/** The title of an attribute whose columns are only parts of it. */
const titleOf = (slug: string): string => slug.charAt(0).toUpperCase() + slug.slice(1).replaceAll('_', ' ')

function unknownAttribute(object: ObjectType, column: string, target: Target): ImportError {
  const closest = closestSlug(target.slug, object.attributes)
  const hint = closest === undefined ? '' : ` Did you mean "${closest}"?`
  return new ImportError(
    `"${column}" goes to "${target.slug}", which ${object.api_slug} does not have.${hint} ` +
      `To create it, add its type: "${target.slug}:text".`,
  )
}

/** Every attribute of the mapping exists. Throws `ImportError` for a column that cannot go to its target. */
export function bindColumns(
  model: DataModel,
  object: ObjectType,
  header: readonly string[],
  columns: ColumnTargets,
): Binding[] {
  const names = new Set(header)
  for (const name of columns.keys()) if (!names.has(name)) throw unknownColumn(header, name)
  const bound = new Map<Attribute, BoundColumn[]>()
  for (const [index, name] of header.entries()) {
    const target = names.delete(name) ? columns.get(name) : undefined // of several columns without a name, the first one is bound
    if (!target) continue
    const attribute = getTargetAttribute(model, object, name, target)
    const column = { index, name, part: target.part }
    const boundColumns = bound.get(attribute)
    if (boundColumns) boundColumns.push(column)
    else bound.set(attribute, [column])
  }
  const bindings = [...bound].map(([attribute, each]) => ({ attribute, columns: each }))
  bindings.forEach(refuseConflict)
  return bindings
}

function unknownColumn(header: readonly string[], name: string): ImportError {
  const closest = findClosest(name, header)
  return new ImportError(
    `The file has no column "${name}".${closest === undefined ? '' : ` Did you mean "${closest}"?`}`,
  )
}

function getTargetAttribute(model: DataModel, object: ObjectType, column: string, target: Target): Attribute {
  const attribute = findAttribute(object, target.slug)
  const requested = renderTarget(target)
  if (!attribute) throw unknownAttribute(object, column, target)
  if (!visibleAttributes(model, object).includes(attribute)) throw new ImportError(`"${target.slug}" is archived.`)
  if (!isImportable(attribute)) {
    throw new ImportError(`"${column}" goes to "${target.slug}", which only the service can write.`)
  }
  const isOther = target.type !== undefined && target.type !== attribute.type
  const isOtherCount = target.type !== undefined && target.isMultiselect !== attribute.is_multiselect
  if (isOther || isOtherCount) {
    const existing = `${attribute.type}${attribute.is_multiselect ? '[]' : ''}`
    throw new ImportError(
      `"${column}" goes to "${requested}", but "${attribute.api_slug}" already exists and is ${existing}.`,
    )
  }
  if (target.part !== undefined && !partsOf(attribute.type).includes(target.part)) {
    throw new ImportError(
      `"${requested}" is not a part of an attribute: ${attribute.type} has ${partsOf(attribute.type).join(', ') || 'none'}.`,
    )
  }
  return attribute
}

/** Several columns may hold different parts of one value, or the values of an attribute that allows several. */
function refuseConflict({ attribute, columns }: Binding): void {
  const parts = new Set(columns.map(({ part }) => part))
  const isAllowed =
    columns.length === 1 ||
    (parts.has(undefined) ? parts.size === 1 && attribute.is_multiselect : parts.size === columns.length)
  if (isAllowed) return
  const names = columns.map(({ name }) => `"${name}"`).join(' and ')
  throw new ImportError(`${names} go to the same part of "${attribute.api_slug}"; leave one of them out.`)
}
