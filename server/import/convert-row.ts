/** From the cells of a row to what it writes, cell by cell: what cannot be read is left out and told. */

import type { CountryCode } from '../attribute-types/country-codes'
import type { RecordLookup, Stored } from '../attribute-types/define'
import { parseValue } from '../attribute-types/parse-value'
import { attributeType } from '../attribute-types/registry'
import { findAttribute } from '../data-model/find'
import type { Attribute, DataModel, ObjectOwner } from '../data-model/model'
import { ApiError, InvalidValue } from '../errors'
import type { Assignment } from '../values/parse'
import { converterOf } from './convert/converters'
import { type Converted, each, one } from './convert/converted'
import { convertParts } from './convert/parts'
import type { CsvRow } from './csv'
import type { Binding, BoundColumn } from './plan'
import type { RememberedCells } from './remembered-cells'

/** Something of a row that was left out. */
export interface CellProblem {
  readonly column: string
  readonly value: string
  readonly reason: string
}

export interface ConvertedRow {
  readonly line: number
  readonly assignments: readonly Assignment[]
  /** Written only where the record has no value yet. */
  readonly asides: readonly Assignment[]
  readonly problems: readonly CellProblem[]
}

export interface RowContext {
  readonly model: DataModel
  readonly object: ObjectOwner
  readonly bindings: readonly Binding[]
  readonly lookup: RecordLookup
  readonly country: CountryCode | undefined
  readonly remembered: RememberedCells
}

/** What the cells of one attribute came to. */
export interface StoredCells {
  readonly values: readonly Stored[]
  readonly problems: readonly string[]
  readonly elsewhere: Readonly<Record<string, string>>
}

/** What the cells of one attribute say, of which one at least is not empty. */
interface ReadCells extends Binding {
  readonly written: readonly string[]
  readonly stored: StoredCells | Promise<StoredCells>
}

interface SettledCells extends ReadCells {
  readonly stored: StoredCells
}

/** Waits only when the row refers to records. */
export function convertRow(context: RowContext, { line, cells }: CsvRow): ConvertedRow | Promise<ConvertedRow> {
  const read: ReadCells[] = []
  for (const { attribute, columns } of context.bindings) {
    const written = columns.map(({ index }) => cells[index] ?? '')
    if (written.every((text) => text === '')) continue
    read.push({ attribute, columns, written, stored: storeCells(context, attribute, columns, written) })
  }
  if (read.every(isSettled)) return composeRow(context, line, read)
  return Promise.all(read.map(settle)).then((settled) => composeRow(context, line, settled))
}

const isSettled = (cells: ReadCells): cells is SettledCells => !(cells.stored instanceof Promise)

const settle = (cells: ReadCells): SettledCells | Promise<SettledCells> =>
  isSettled(cells) ? cells : Promise.resolve(cells.stored).then((stored) => ({ ...cells, stored }))

const NOTHING_ELSEWHERE: StoredCells['elsewhere'] = {}

function composeRow(context: RowContext, line: number, read: readonly SettledCells[]): ConvertedRow {
  const assignments: Assignment[] = []
  const problems: CellProblem[] = []
  let elsewhere = NOTHING_ELSEWHERE
  for (const { attribute, columns, written, stored } of read) {
    for (const reason of stored.problems) {
      problems.push({ column: columns.map(({ name }) => name).join(', '), value: written.join(', '), reason })
    }
    if (stored.elsewhere !== NOTHING_ELSEWHERE) elsewhere = { ...elsewhere, ...stored.elsewhere }
    if (stored.values.length > 0) assignments.push({ attribute, values: stored.values })
  }
  return { line, assignments, asides: asidesFrom(context, assignments, elsewhere), problems }
}

/** Only references have to be waited for, and only they may be other records the next time. */
function storeCells(
  context: RowContext,
  attribute: Attribute,
  columns: readonly BoundColumn[],
  written: readonly string[],
): StoredCells | Promise<StoredCells> {
  const convert = () => convertCells(context, attribute, columns, written)
  if (attribute.type === 'record-reference') return lookUp(context, attribute, convert())
  return context.remembered(attribute, written, () => store(context, attribute, convert()))
}

function convertCells(
  { model, country }: RowContext,
  attribute: Attribute,
  columns: readonly BoundColumn[],
  written: readonly string[],
): Converted {
  // Either all columns are parts or none is.
  if (columns[0]?.part !== undefined) return convertParts(attribute, textsByPart(columns, written))
  const convert = converterOf(attribute.type)
  if (!convert) throw new Error(`Nothing is ever imported into attributes of type ${attribute.type}.`)
  return each(written, (text) => convert(text, { attribute, model, country }))
}

function textsByPart(columns: readonly BoundColumn[], written: readonly string[]): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const [index, { part }] of columns.entries()) if (part !== undefined) texts[part] = written[index] ?? ''
  return texts
}

/** What the attribute's type makes of each value, without those that it refuses. */
function store(
  context: RowContext,
  attribute: Attribute,
  { values: raws, problems, elsewhere = NOTHING_ELSEWHERE }: Converted,
): StoredCells {
  const values: Stored[] = []
  const reasons = problems.length > 0 ? [...problems] : []
  for (const raw of raws) {
    try {
      // Whatever values other than references name, the data model knows.
      const value = storedValue(context, attribute, raw) as Stored | undefined
      if (value !== undefined) values.push(value)
    } catch (error) {
      reasons.push(refusalIn(error))
    }
  }
  return { values, problems: reasons, elsewhere }
}

async function lookUp(
  context: RowContext,
  attribute: Attribute,
  { values: raws, problems }: Converted,
): Promise<StoredCells> {
  const values: Stored[] = []
  const reasons = [...problems]
  for (const raw of raws) {
    try {
      const value = await storedValue(context, attribute, raw)
      if (value !== undefined) values.push(value)
    } catch (error) {
      reasons.push(refusalIn(error))
    }
  }
  return { values, problems: reasons, elsewhere: NOTHING_ELSEWHERE }
}

/** Undefined for what means no value. */
function storedValue({ model, lookup }: RowContext, attribute: Attribute, raw: unknown) {
  const parsed = parseValue(raw, attribute, model)
  if (parsed === undefined) return undefined
  const { resolve } = attributeType(attribute.type)
  // Without `resolve`, parsing gives the stored form.
  return resolve ? resolve(parsed, attribute, model, lookup) : (parsed as Stored)
}

/** Throws what is no refusal of a value. */
function refusalIn(error: unknown): string {
  if (error instanceof InvalidValue || error instanceof ApiError) return error.message
  throw error
}

/** Values that stood in another attribute's column; a column of their own wins. */
function asidesFrom(
  context: RowContext,
  assignments: readonly Assignment[],
  elsewhere: Readonly<Record<string, string>>,
): Assignment[] {
  if (elsewhere === NOTHING_ELSEWHERE) return []
  return Object.entries(elsewhere).flatMap(([slug, text]) => {
    const attribute = findAttribute(context.object, slug)
    const isTaken = assignments.some((assignment) => assignment.attribute === attribute)
    if (!attribute || attribute.is_archived || isTaken) return []
    const { values } = store(context, attribute, one(text))
    return values.length > 0 ? [{ attribute, values }] : []
  })
}
