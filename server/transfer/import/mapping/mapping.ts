/**
 * The targets of columns as people write them: `domains` for an attribute, `primary_location.locality` for a part of a
 * value, `amounts_raised:currency(EUR)` for an attribute that is created with this type when it does not exist,
 * `tags:select[]` for one with several values, and `skip` for a column that is left out.
 */

import { CURRENCY_CODES } from '#vocabulary/currencies'
import { SLUG_PATTERN } from '#engine/data-model/names'
import { TYPE_NAMES, type TypeName } from '#vocabulary/data-model'
import { ImportError } from '#transfer/import/import-context'

export interface Target {
  readonly slug: string
  readonly part?: string
  /** The type with which the attribute is created when it does not exist. */
  readonly type?: TypeName
  readonly isMultiselect?: boolean
  readonly currency?: string
}

export interface Mapping {
  /** The slug of the matching attribute. */
  readonly match?: string | undefined
  /** By the name of the column; null for a column that is left out. */
  readonly columns: ReadonlyMap<string, Target | null>
}

export const SKIP = 'skip'

const TARGET = /^([^.:\s]+)(?:\.([a-z0-9_]+))?(?::([a-z-]+)(?:\(([a-z]{3})\))?(\[\])?)?$/i
// oxlint-disable-next-line relata/no-super-linear-regexp -- the linter checks the pattern where it is declared
const SLUG = new RegExp(SLUG_PATTERN)

/** Throws `ImportError` for any other text. */
export function parseTarget(text: string): Target | null {
  const trimmed = text.trim()
  if (trimmed === SKIP) return null
  const [, slug, part, type, code, several] = TARGET.exec(trimmed) ?? []
  if (slug === undefined)
    throw new ImportError(
      `"${trimmed}" is not a target of a column; write for example "name", "primary_location.locality", "stage:select" or "${SKIP}".`,
    )
  if (type === undefined) return { slug, ...(part === undefined ? {} : { part }) }
  if (!isTypeName(type))
    throw new ImportError(`"${type}" is not an attribute type; the types are ${TYPE_NAMES.join(', ')}.`)
  if (!SLUG.test(slug)) throw new ImportError(`"${slug}" cannot be the slug of an attribute.`)
  const currency = code?.toUpperCase()
  if (currency !== undefined && !(CURRENCY_CODES as readonly string[]).includes(currency)) {
    throw new ImportError(`"${currency}" is not a currency that an attribute can have.`)
  }
  return {
    slug,
    ...(part === undefined ? {} : { part }),
    type,
    isMultiselect: several !== undefined,
    ...(currency === undefined ? {} : { currency }),
  }
}

/** The inverse of `parseTarget`. */
export function renderTarget(target: Target | null): string {
  if (target === null) return SKIP
  const { slug, part, type, isMultiselect, currency } = target
  const typeSuffix =
    type === undefined ? '' : `:${type}${currency === undefined ? '' : `(${currency})`}${isMultiselect ? '[]' : ''}`
  return `${slug}${part === undefined ? '' : `.${part}`}${typeSuffix}`
}

const isTypeName = (text: string): text is TypeName => (TYPE_NAMES as readonly string[]).includes(text)
