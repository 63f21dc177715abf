/** Converts the cells of a row to assignments. A value that cannot be read becomes a problem; the other values are imported. */

import { findAttribute, isRecordId } from '#engine/data-model/find'
import type { Attribute, DataModel, ObjectType } from '#engine/data-model/model'
import type { Assignment } from '#engine/entities/write/parse-values'
import type { Binding, BoundColumn } from '#transfer/import/import-context'
import type { CsvRow } from '#transfer/import/csv/split-rows'
import type { CellProblem } from '#transfer/import/row-outcomes'
import {
  oneValue,
  type ConversionResult,
  convertEach,
  type ConverterContext,
  NO_VALUES,
  type PartsConverter,
} from './conversion'
import { attributeType } from '#engine/attribute-types/registry'
import { isBlank } from './readers'
import { withoutEscape } from '#base/text/csv-line'
import { findConverter } from './converters'
import type { RecordLookup, Stored } from '#engine/attribute-types/define'
import { parseValue } from '#engine/attribute-types/definition/parse-value'
import { ApiError, InvalidValue } from '#base/errors/api-error'

export interface ConvertedRow {
  readonly line: number
  /** The text in the column of the record ids. Absent when the file has no such column, or the cell is empty. */
  readonly recordId?: string
  readonly assignments: readonly Assignment[]
  /** Assignments that the import makes only where the record has no value yet. */
  readonly fillIfEmpty: readonly Assignment[]
  readonly problems: readonly CellProblem[]
}

export interface RowContext extends Omit<CellContext, 'isExact'> {
  readonly object: ObjectType
  readonly bindings: readonly Binding[]
}

type ValuesContext = RowContext & CellContext

/** Returns a promise only for a row whose references are not cached. */
export type ConvertRow = (row: CsvRow) => ConvertedRow | Promise<ConvertedRow>

/** Chooses the readers of all cells once for the whole file. */
export function compileRow({ bindings, ...context }: RowContext): ConvertRow {
  const ids = bindings.find(({ attribute }) => isRecordId(attribute))
  const values = bindings.filter((binding) => binding !== ids)
  const idColumn = ids?.columns[0]?.index
  const convert = compileValues({ ...context, bindings: values, isExact: idColumn !== undefined })
  return idColumn === undefined ? convert : (row) => convertExactly(row, idColumn, convert)
}

/** Reads a row with a record id, whose cells are as an export escapes them. */
function convertExactly(row: CsvRow, idColumn: number, convert: ConvertRow): ReturnType<ConvertRow> {
  const recordId = row.cells[idColumn]?.trim() ?? ''
  const withId = (converted: ConvertedRow) => (recordId === '' ? converted : { ...converted, recordId })
  const converted = convert({ ...row, cells: row.cells.map(withoutEscape) })
  return converted instanceof Promise ? converted.then(withId) : withId(converted)
}

function compileValues(context: ValuesContext): ConvertRow {
  const readers = context.bindings.map((binding) => compileCellReader(context, binding))
  return (row) => {
    const { cells } = row
    const read: (StoredCells | Promise<StoredCells> | undefined)[] = []
    let isPending = false
    for (const reader of readers) {
      const stored = reader(cells)
      if (stored instanceof Promise) isPending = true
      read.push(stored)
    }
    if (isPending) return settle(read).then((settled) => composeRow(context, row, settled))
    return composeRow(context, row, read as SettledCells) // no promise is among them
  }
}

/** Awaits only the promises, which are few among the cells of a row. */
async function settle(read: readonly (StoredCells | Promise<StoredCells> | undefined)[]): Promise<SettledCells> {
  const settled = await Promise.all(read.filter((stored) => stored instanceof Promise))
  let next = 0
  return read.map((stored) => (stored instanceof Promise ? settled[next++] : stored))
}

type SettledCells = readonly (StoredCells | undefined)[]

const NONE: readonly never[] = []

function composeRow(context: ValuesContext, { line, cells }: CsvRow, settled: SettledCells): ConvertedRow {
  const assignments: Assignment[] = []
  let problems: CellProblem[] | undefined
  let forOtherAttributes = NO_OTHER_ATTRIBUTES
  for (let index = 0; index < settled.length; index++) {
    const stored = settled[index]
    if (stored === undefined) continue
    if (stored.problems.length > 0) (problems ??= []).push(...problemsOf(context.bindings[index], cells, stored))
    if (stored.forOtherAttributes !== NO_OTHER_ATTRIBUTES)
      forOtherAttributes = { ...forOtherAttributes, ...stored.forOtherAttributes }
    if (stored.values.length > 0) assignments.push(stored)
  }
  const fillIfEmpty =
    forOtherAttributes === NO_OTHER_ATTRIBUTES ? NONE : assignOthers(context, assignments, forOtherAttributes)
  return { line, assignments, fillIfEmpty, problems: problems ?? NONE }
}

function problemsOf(
  { columns }: Pick<Binding, 'columns'> = { columns: NONE },
  cells: readonly string[],
  { problems }: StoredCells,
): CellProblem[] {
  const column = columns.map(({ name }) => name).join(', ')
  const value = columns.map(({ index }) => cells[index] ?? '').join(', ')
  return problems.map((reason) => ({ column, value, reason }))
}

/** Assigns texts found in the column of another attribute. An attribute that has a column of its own keeps its value. */
function assignOthers(
  context: ValuesContext,
  assignments: readonly Assignment[],
  forOtherAttributes: Readonly<Record<string, string>>,
): Assignment[] {
  return Object.entries(forOtherAttributes).flatMap(([slug, text]) => {
    const attribute = findAttribute(context.object, slug)
    const isAssigned = assignments.some((assignment) => assignment.attribute === attribute)
    if (!attribute || attribute.is_archived || isAssigned) return []
    const stored = storeValues(context, attribute, oneValue(text))
    return stored.values.length > 0 ? [stored] : []
  })
}

// Reads the cells of one attribute, row after row.

interface CellContext extends ValueContext, Pick<ConverterContext, 'country' | 'isExact'> {}

/** Returns undefined when all cells of the attribute are empty. */
type CellReader = (cells: readonly string[]) => StoredCells | Promise<StoredCells> | undefined

type ConvertCells = (cells: readonly string[]) => ConversionResult

function compileCellReader(context: CellContext, binding: Binding): CellReader {
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

function compileConversion({ model, country, isExact }: CellContext, { attribute, columns }: Binding): ConvertCells {
  const converter = findConverter(attribute.type)
  if (!converter) throw new Error(`An import never writes attributes of type ${attribute.type}.`)
  const { convert, parts } = converter
  const [first, ...others] = columns
  if (parts && first?.part !== undefined) return (cells) => convertParts(parts, columns, cells, isExact)
  const context = { attribute, model, country, isExact }
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
  isExact: boolean,
): ConversionResult {
  const parts: Record<string, string> = {}
  let isEmpty = true
  for (const { index, part } of columns) {
    const cell = cells[index] ?? ''
    const text = isExact ? cell : cell.trim()
    if (part === undefined || (isExact ? text === '' : isBlank(text))) continue
    parts[part] = text
    isEmpty = false
  }
  return isEmpty ? NO_VALUES : convert(parts, isExact)
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

// Converts values to stored values. Values that the attribute type refuses become problems.

/** The assignment that the cells of one attribute make. */
interface StoredCells extends Assignment {
  readonly values: readonly Stored[]
  readonly problems: readonly string[]
  /** Texts for other attributes, by slug. */
  readonly forOtherAttributes: Readonly<Record<string, string>>
}

interface ValueContext {
  readonly model: DataModel
  readonly lookup: RecordLookup
}

const NO_OTHER_ATTRIBUTES: StoredCells['forOtherAttributes'] = {}

/** Stores values of every type but record references; the data model suffices for these. */
function storeValues(
  context: ValueContext,
  attribute: Attribute,
  { values: raws, problems, forOtherAttributes = NO_OTHER_ATTRIBUTES }: ConversionResult,
): StoredCells {
  const values: Stored[] = []
  let reasons: string[] | undefined
  for (const raw of raws) {
    try {
      const value = storedValue(context, attribute, raw) as Stored | undefined // only references resolve to a promise
      if (value !== undefined) values.push(value)
    } catch (error) {
      reasons ??= [...problems]
      reasons.push(refusalReason(error))
    }
  }
  return { attribute, values, problems: reasons ?? problems, forOtherAttributes }
}

/** Stores record references, which have to be looked up. */
async function storeReferences(
  context: ValueContext,
  attribute: Attribute,
  { values: raws, problems }: ConversionResult,
): Promise<StoredCells> {
  const values: Stored[] = []
  const reasons = [...problems]
  for (const raw of raws) {
    try {
      const value = await storedValue(context, attribute, raw)
      if (value !== undefined) values.push(value)
    } catch (error) {
      reasons.push(refusalReason(error))
    }
  }
  return { attribute, values, problems: reasons, forOtherAttributes: NO_OTHER_ATTRIBUTES }
}

/** Undefined when the raw value stands for no value. */
function storedValue({ model, lookup }: ValueContext, attribute: Attribute, raw: unknown) {
  const parsed = parseValue(raw, attribute, model)
  if (parsed === undefined) return undefined
  const { resolve } = attributeType(attribute.type)
  // Without `resolve`, parsing gives the stored form.
  return resolve ? resolve(parsed, attribute, model, lookup) : (parsed as Stored)
}

/** Rethrows an error that is not the refusal of a value. */
function refusalReason(error: unknown): string {
  if (error instanceof InvalidValue || error instanceof ApiError) return error.message
  throw error
}
