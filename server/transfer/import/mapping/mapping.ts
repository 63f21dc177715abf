/**
 * The targets of columns as people write them: `domains` for an attribute, `primary_location.locality` for a part of a
 * value, `amounts_raised:currency(EUR)` for an attribute that is created with this type when it does not exist,
 * `tags:select[]` for one with several values, and `skip` for a column that is left out.
 */
import { SLUG_PATTERN } from '#engine/data-model/names'
import { ImportError } from '#transfer/import/import-context'
import { CURRENCY_CODES } from '#vocabulary/currencies'
import { TYPE_NAMES, type TypeName } from '#vocabulary/data-model'

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

/** Reads a mapping from a file. Every JSON text is YAML, so one parser reads both. Throws `ImportError`. */
export function parseMapping(text: string): Mapping {
  const content = parseYaml(text)
  if (!isMap(content)) throw new ImportError('The mapping file has no "columns".')
  const { match, columns, ...others } = content
  const [unknownMember] = Object.keys(others)
  if (unknownMember !== undefined)
    throw new ImportError(`The mapping file has "${unknownMember}"; it may only have "match" and "columns".`)
  if (match !== undefined && typeof match !== 'string')
    throw new ImportError('"match" in the mapping file must be the slug of an attribute.')
  if (!isMap(columns)) throw new ImportError('The mapping file has no "columns".')
  return {
    match,
    columns: new Map(Object.entries(columns).map(([column, target]) => [column, readTarget(column, target)])),
  }
}

function parseYaml(text: string): unknown {
  try {
    return Bun.YAML.parse(text)
  } catch (error) {
    throw new ImportError(`The mapping file is not YAML: ${error instanceof Error ? error.message : error}`)
  }
}

function readTarget(column: string, target: unknown): Target | null {
  if (target === null) return null
  if (typeof target !== 'string') throw new ImportError(`The target of "${column}" in the mapping file is not a text.`)
  return parseTarget(target)
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The text that people edit and `parseMapping` reads. */
export function printMapping({ match, columns }: Mapping): string {
  const lines = [...columns].map(
    ([column, target]) => `  ${JSON.stringify(column)}: ${JSON.stringify(renderTarget(target))}`,
  )
  return [...(match === undefined ? [] : [`match: ${match}`]), 'columns:', ...lines].join('\n')
}

/**
 * Parses `Website=domains, Amounts Raised=amounts_raised:currency`. Commas and line breaks separate pairs, except in the
 * name of a column.
 */
export function parsePairs(text: string): Map<string, Target | null> {
  return new Map(
    splitPairs(text).map((pair) => {
      const at = pair.lastIndexOf('=')
      if (at < 1) throw new ImportError(`"${pair}" is not of the form "Column=attribute".`)
      return [pair.slice(0, at).trim(), parseTarget(pair.slice(at + 1))]
    }),
  )
}

function splitPairs(text: string): string[] {
  const pairs: string[] = []
  let pieces: string[] = []
  for (const piece of text.split(/[,\n]/)) {
    if (pieces.length > 0 || piece !== '') pieces.push(piece)
    if (!piece.includes('=')) continue
    pairs.push(pieces.join(',').trim())
    pieces = []
  }
  const last = pieces.join(',').trim()
  return last === '' ? pairs : [...pairs, last]
}
