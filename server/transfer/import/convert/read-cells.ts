/** Reads the cells of one attribute, row after row. */

import { attributeType } from '#engine/attribute-types/registry'
import type { CountryCode } from '#vocabulary/countries'
import type { Binding, BoundColumn } from '#transfer/import/binding'
import { type ConversionResult, convertEach, NO_VALUES, type PartsConverter } from './conversion'
import { isBlank } from './readers'
import { findConverter } from './converters'
import { type StoredCells, storeReferences, storeValues, type ValueContext } from './store-cells'

export interface CellContext extends ValueContext {
  readonly country: CountryCode | undefined
}

/** Returns undefined when all cells of the attribute are empty. */
export type CellReader = (cells: readonly string[]) => StoredCells | Promise<StoredCells> | undefined

type ConvertCells = (cells: readonly string[]) => ConversionResult

export function compileCellReader(context: CellContext, binding: Binding): CellReader {
  const { attribute, columns } = binding
  const convert = compileConversion(context, binding)
  const cache = createCellCache()
  if (attributeType(attribute.type).refersToRecords) return compileReferenceReader(context, binding, convert, cache)
  return (cells) => {
    const key = keyOf(columns, cells)
    if (key === undefined) return undefined
    return cache.get(key) ?? cache.set(key, storeValues(context, attribute, convert(cells)))
  }
}

/** Looks records up. A record that is missing now may exist later, so only successful lookups are cached. */
function compileReferenceReader(
  context: CellContext,
  { attribute, columns }: Binding,
  convert: ConvertCells,
  cache: CellCache,
): CellReader {
  const pending = new Map<string, Promise<StoredCells>>()
  return (cells) => {
    const key = keyOf(columns, cells)
    if (key === undefined) return undefined
    const cached = cache.get(key) ?? pending.get(key)
    if (cached) return cached
    const lookup = storeReferences(context, attribute, convert(cells)).then((stored) =>
      stored.problems.length === 0 ? cache.set(key, stored) : stored,
    )
    pending.set(key, lookup)
    return lookup.finally(() => pending.delete(key))
  }
}

/** The texts of the cells; undefined when all are empty. */
function keyOf(columns: readonly BoundColumn[], cells: readonly string[]): string | undefined {
  const [first] = columns
  if (columns.length === 1) return (first && cells[first.index]) || undefined
  let key = ''
  let isEmpty = true
  for (const { index } of columns) {
    const text = cells[index] ?? ''
    if (text !== '') isEmpty = false
    key += `${text}\0`
  }
  return isEmpty ? undefined : key
}

function compileConversion({ model, country }: CellContext, { attribute, columns }: Binding): ConvertCells {
  const converter = findConverter(attribute.type)
  if (!converter) throw new Error(`An import never writes attributes of type ${attribute.type}.`)
  const { convert, parts } = converter
  const [first, ...others] = columns
  if (parts && first?.part !== undefined) return (cells) => convertParts(parts, columns, cells)
  const context = { attribute, model, country }
  if (first && others.length === 0) return (cells) => convert(cells[first.index] ?? '', context)
  return (cells) =>
    convertEach(
      columns.map(({ index }) => cells[index] ?? ''),
      (text) => convert(text, context),
    )
}

function convertParts(
  { convert }: PartsConverter,
  columns: readonly BoundColumn[],
  cells: readonly string[],
): ConversionResult {
  const parts: Record<string, string> = {}
  let isEmpty = true
  for (const { index, part } of columns) {
    const text = (cells[index] ?? '').trim()
    if (part === undefined || isBlank(text)) continue
    parts[part] = text
    isEmpty = false
  }
  return isEmpty ? NO_VALUES : convert(parts)
}

/** Caches the converted cells of one attribute, because options, places and years repeat from row to row. */
interface CellCache {
  get(texts: string): StoredCells | undefined
  /** Returns `stored`. */
  set(texts: string, stored: StoredCells): StoredCells
}

/** Two generations have at most twice as many entries. */
const MAX_ENTRIES = 1000
/** Longer cells rarely repeat. */
const MAX_CHARACTERS = 200
/** The cache switches itself off when fewer than one in ten of so many lookups succeeded. */
const TRIAL_LOOKUPS = 2000

function createCellCache(): CellCache {
  // Unlike an LRU, two generations cost no write for an entry that is used again.
  let recent = new Map<string, StoredCells>()
  let older = new Map<string, StoredCells>()
  let lookups = 0
  let hits = 0
  const isUseful = () => lookups < TRIAL_LOOKUPS || hits * 10 >= lookups
  const count = (entry: StoredCells): StoredCells => {
    hits++
    return entry
  }
  const add = (texts: string, stored: StoredCells): StoredCells => {
    if (recent.size === MAX_ENTRIES) {
      older = recent
      recent = new Map()
    }
    recent.set(texts, stored)
    return stored
  }
  return {
    get(texts) {
      if (!isUseful()) return undefined
      if (++lookups === TRIAL_LOOKUPS && !isUseful()) recent = older = new Map()
      const entry = recent.get(texts)
      if (entry) return count(entry)
      const olderEntry = older.get(texts)
      return olderEntry && count(add(texts, olderEntry))
    },
    set: (texts, stored) => (isUseful() && texts.length <= MAX_CHARACTERS ? add(texts, stored) : stored),
  }
}
