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

export async function convertRow(context: RowContext, { line, cells }: CsvRow): Promise<ConvertedRow> {
  const assignments: Assignment[] = []
  const problems: CellProblem[] = []
  const elsewhere: Record<string, string> = {}
  for (const { attribute, columns } of context.bindings) {
    const written = columns.map(({ index }) => cells[index] ?? '')
    if (written.every((text) => text === '')) continue
    const found = storeCells(context, attribute, columns, written)
    const stored = found instanceof Promise ? await found : found
    for (const reason of stored.problems) {
      problems.push({ column: columns.map(({ name }) => name).join(', '), value: written.join(', '), reason })
    }
    Object.assign(elsewhere, stored.elsewhere)
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
  const parts = columns.flatMap(({ part }, index) =>
    part === undefined ? [] : [[part, written[index] ?? ''] as const],
  )
  if (parts.length > 0) return convertParts(attribute, Object.fromEntries(parts))
  const convert = converterOf(attribute.type)
  if (!convert) throw new Error(`Nothing is ever imported into attributes of type ${attribute.type}.`)
  return each(written, (text) => convert(text, { attribute, model, country }))
}

/** What the attribute's type makes of each value, without those that it refuses. */
function store(
  context: RowContext,
  attribute: Attribute,
  { values: raws, problems, elsewhere = {} }: Converted,
): StoredCells {
  const values: Stored[] = []
  const reasons = [...problems]
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
  return { values, problems: reasons, elsewhere: {} }
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
  return Object.entries(elsewhere).flatMap(([slug, text]) => {
    const attribute = findAttribute(context.object, slug)
    const isTaken = assignments.some((assignment) => assignment.attribute === attribute)
    if (!attribute || attribute.is_archived || isTaken) return []
    const { values } = store(context, attribute, one(text))
    return values.length > 0 ? [{ attribute, values }] : []
  })
}
