/** Reads the cells of one attribute, row after row. */

import type { CountryCode } from '../../attribute-types/data/country-codes'
import { converterOf } from './registry'
import { type ConverterContext, type ConversionResult, type Converter, each } from './conversion'
import { convertParts } from './parts'
import type { Binding, BoundColumn } from '../mapping/bind-columns'
import { createCellCache, type CellCache } from './cell-cache'
import { lookUp, store, type StoredCells, type ValueContext } from './store-cells'

export interface CellContext extends ValueContext {
  readonly country: CountryCode | undefined
}

/** Undefined when all cells of the attribute are empty. */
export type CellReader = (cells: readonly string[]) => StoredCells | Promise<StoredCells> | undefined

export function compileReader(reading: CellContext, binding: Binding): CellReader {
  const { attribute, columns } = binding
  const convert = compileConversion(reading, binding)
  const cache = createCellCache()
  if (attribute.type === 'record-reference') return compileReference(reading, binding, convert, cache)
  return (cells) => {
    const key = keyOf(columns, cells)
    if (key === undefined) return undefined
    const before = cache.find(key)
    if (before) return before
    return cache.keep(key, store(reading, attribute, convert(cells)))
  }
}

/** What cells refer to has to be looked up, and what is not there yet may be there the next time. */
function compileReference(
  reading: CellContext,
  { attribute, columns }: Binding,
  convert: (cells: readonly string[]) => ConversionResult,
  cache: CellCache,
): CellReader {
  const coming = new Map<string, Promise<StoredCells>>()
  return (cells) => {
    const key = keyOf(columns, cells)
    if (key === undefined) return undefined
    const known = cache.find(key) ?? coming.get(key)
    if (known) return known
    const found = lookUp(reading, attribute, convert(cells)).then((stored) =>
      stored.problems.length === 0 ? cache.keep(key, stored) : stored,
    )
    coming.set(key, found)
    return found.finally(() => coming.delete(key))
  }
}

/** All that is written in the cells; undefined when nothing is. */
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

/** Either all columns are parts or none is. */
function compileConversion(
  { model, country }: CellContext,
  { attribute, columns }: Binding,
): (cells: readonly string[]) => ConversionResult {
  if (columns[0]?.part !== undefined) return (cells) => convertParts(attribute, columns, cells)
  const convert = converterOf(attribute.type)
  if (!convert) throw new Error(`Nothing is ever imported into attributes of type ${attribute.type}.`)
  return convertColumns(convert, columns, { attribute, model, country })
}

function convertColumns(convert: Converter, columns: readonly BoundColumn[], conversion: ConverterContext) {
  const [first, ...others] = columns
  const textOf = ({ index }: BoundColumn, cells: readonly string[]) => cells[index] ?? ''
  if (first && others.length === 0) return (cells: readonly string[]) => convert(textOf(first, cells), conversion)
  return (cells: readonly string[]) =>
    each(
      columns.map((column) => textOf(column, cells)),
      (text) => convert(text, conversion),
    )
}
