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
import { type Converted, each } from './convert/converted'
import { convertParts } from './convert/parts'
import type { CsvRow } from './csv'
import type { Binding, BoundColumn } from './plan'

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
}

export async function convertRow(context: RowContext, { line, cells }: CsvRow): Promise<ConvertedRow> {
  const assignments: Assignment[] = []
  const problems: CellProblem[] = []
  const elsewhere: Record<string, string> = {}
  for (const { attribute, columns } of context.bindings) {
    const written = columns.map(({ index }) => cells[index] ?? '')
    if (written.every((text) => text === '')) continue
    const tell = problemTeller(columns, written, problems)
    const converted = convertCells(context, attribute, columns, written)
    converted.problems.forEach(tell)
    Object.assign(elsewhere, converted.elsewhere)
    const found = storedValues(context, attribute, converted.values, tell)
    const values = found instanceof Promise ? await found : found
    if (values.length > 0) assignments.push({ attribute, values })
  }
  const asides = Object.keys(elsewhere).length > 0 ? await convertAsides(context, assignments, elsewhere) : []
  return { line, assignments, asides, problems }
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

/** What the attribute's type makes of each value, without those that it refuses. Only references have to be waited for. */
function storedValues(
  context: RowContext,
  attribute: Attribute,
  raws: readonly unknown[],
  tell: (reason: string) => void,
): Stored[] | Promise<Stored[]> {
  if (attribute.type === 'record-reference') return lookedUp(context, attribute, raws, tell)
  const stored: Stored[] = []
  for (const raw of raws) {
    try {
      const value = storedValue(context, attribute, raw)
      // Whatever else is named in a value, the data model knows.
      if (value !== undefined) stored.push(value as Stored)
    } catch (error) {
      tell(refusalIn(error))
    }
  }
  return stored
}

async function lookedUp(
  context: RowContext,
  attribute: Attribute,
  raws: readonly unknown[],
  tell: (reason: string) => void,
): Promise<Stored[]> {
  const stored: Stored[] = []
  for (const raw of raws) {
    try {
      const value = await storedValue(context, attribute, raw)
      if (value !== undefined) stored.push(value)
    } catch (error) {
      tell(refusalIn(error))
    }
  }
  return stored
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
async function convertAsides(
  context: RowContext,
  assignments: readonly Assignment[],
  elsewhere: Readonly<Record<string, string>>,
): Promise<Assignment[]> {
  const asides: Assignment[] = []
  for (const [slug, text] of Object.entries(elsewhere)) {
    const attribute = findAttribute(context.object, slug)
    const isTaken = assignments.some((assignment) => assignment.attribute === attribute)
    if (!attribute || attribute.is_archived || isTaken) continue
    const values = await storedValues(context, attribute, [text], () => {})
    if (values.length > 0) asides.push({ attribute, values })
  }
  return asides
}

const problemTeller =
  (columns: readonly BoundColumn[], written: readonly string[], problems: CellProblem[]) =>
  (reason: string): void => {
    problems.push({ column: columns.map(({ name }) => name).join(', '), value: written.join(', '), reason })
  }
