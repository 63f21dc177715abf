/**
 * Which column goes to which attribute, as people write it: `domains`, `primary_location.locality` for a part of a value,
 * `amounts_raised:currency(EUR)` for an attribute of that type to be made if there is none, `tags:select[]` when it takes
 * several values, and `skip` for columns that are left out.
 */

import { CURRENCY_CODES } from '../../attribute-types/data/currency-codes'
import { SLUG_PATTERN } from '../../data-model/slugs'
import { TYPE_NAMES, type TypeName } from '../../data-model/type-names'
import { ImportError } from '../import-error'

export interface Target {
  readonly slug: string
  readonly part?: string
  /** What the attribute is to be, if it has to be made. */
  readonly type?: TypeName
  readonly isMultiselect?: boolean
  readonly currency?: string
}

export interface Mapping {
  /** The attribute that tells whether a row is known already. */
  readonly match?: string | undefined
  /** By column name; null for columns that are left out. */
  readonly columns: ReadonlyMap<string, Target | null>
}

export const SKIP = 'skip'

const TARGET = /^([^.:\s]+)(?:\.([a-z0-9_]+))?(?::([a-z-]+)(?:\(([a-z]{3})\))?(\[\])?)?$/i
// oxlint-disable-next-line relata/no-super-linear-regexp -- the linter checks the pattern where it stands
const SLUG = new RegExp(SLUG_PATTERN)

/** Throws `ImportError` when it is not written in one of these ways. */
export function parseTarget(text: string): Target | null {
  const trimmed = text.trim()
  if (trimmed === SKIP) return null
  const [, slug, part, type, code, several] = TARGET.exec(trimmed) ?? []
  if (slug === undefined)
    throw new ImportError(
      `"${trimmed}" does not say where a column goes; write e.g. "name", "primary_location.locality", "stage:select" or "${SKIP}".`,
    )
  if (type === undefined) return { slug, ...(part === undefined ? {} : { part }) }
  if (!isTypeName(type))
    throw new ImportError(`"${type}" is no type of attribute; there are ${TYPE_NAMES.join(', ')}.`)
  if (!SLUG.test(slug)) throw new ImportError(`"${slug}" cannot be the slug of an attribute.`)
  const currency = code?.toUpperCase()
  if (currency !== undefined && !(CURRENCY_CODES as readonly string[]).includes(currency)) {
    throw new ImportError(`"${currency}" is no currency an attribute can have.`)
  }
  return {
    slug,
    ...(part === undefined ? {} : { part }),
    type,
    isMultiselect: several !== undefined,
    ...(currency === undefined ? {} : { currency }),
  }
}

/** The text that `parseTarget` reads as this. */
export function renderTarget(target: Target | null): string {
  if (target === null) return SKIP
  const { slug, part, type, isMultiselect, currency } = target
  const wholeType =
    type === undefined ? '' : `:${type}${currency === undefined ? '' : `(${currency})`}${isMultiselect ? '[]' : ''}`
  return `${slug}${part === undefined ? '' : `.${part}`}${wholeType}`
}

const isTypeName = (text: string): text is TypeName => (TYPE_NAMES as readonly string[]).includes(text)
