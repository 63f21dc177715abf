/** Checks a formula before it is stored: as a text, by PostgreSQL, and against the type of its attribute. */

import type { Transaction } from '#db/connect'
import { isCancellation } from '#base/errors/database'
import { attributeTypes } from '#engine/attribute-types/registry'
import { type DataModel, type EntityType, hasRecords } from '#engine/data-model/model'
import { shownLabelSql } from '#engine/query/compile/label'
import { SqlRefused } from '#engine/sql/compile/source-text'
import {
  computeValue,
  inExpression,
  readNewest,
  readResultType,
  withTimeLimit,
} from '#engine/storage/statements/formula-statements'
import { isFromPostgres } from '#engine/sql/run/statement'
import { TYPE_NAMES, type TypeName } from '#vocabulary/data-model'
import { formulaSql } from './formula-sql'
import { type ParsedFormula, parseFormula } from './parse-formula'

export interface CheckedFormula {
  readonly parsed: ParsedFormula
  /** The types that an attribute with the formula may have; the first one is the plainest. */
  readonly types: readonly TypeName[]
}

/** Throws `SqlRefused`. Nothing is computed. */
export async function checkFormula(
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
  text: string,
): Promise<CheckedFormula> {
  const parsed = parseFormula(entityType, text)
  const result = await resultTypeOf(tx, model, entityType, parsed)
  const types = TYPE_NAMES.filter((name) => attributeTypes[name].formula?.results.includes(result))
  if (types.length > 0) return { parsed, types }
  throw new SqlRefused(
    `The formula has a result of type ${result}, which no attribute has.`,
    null,
    HINTS[result] ?? null,
  )
}

const HINTS: Readonly<Record<string, string>> = {
  interval: 'extract(epoch from …) gives its seconds; a difference of two dates is a number of days.',
  uuid: 'Cast it to text.',
  'text[]': 'array_to_string(…) makes one text of it.',
}

async function resultTypeOf(
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
  parsed: ParsedFormula,
): Promise<string> {
  const { text, toCallerPosition } = formulaSql(model, parsed)
  try {
    return await readResultType(tx, entityType, text)
  } catch (error) {
    if (!isFromPostgres(error)) throw error
    const position = error.position === undefined ? null : toCallerPosition(inExpression(Number(error.position)))
    throw new SqlRefused(error.message, position, error.hint ?? null)
  }
}

// A sample of the values that a formula would have, before it is stored.

const SAMPLE = 10
/** How long a formula may take for a record. Each write of the record takes as long. */
const LONGEST_MS = 250

export interface SampleValue {
  readonly id: string
  /** Null for an entry, and for a record without one. */
  readonly label: string | null
  readonly value: string | number | boolean | null
}

/** The values of the newest records or entries, as an attribute of the type would have them. Null where the formula fails. Throws `SqlRefused` for a slow one. */
export async function sampleFormula(
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
  { parsed, type }: { readonly parsed: ParsedFormula; readonly type: TypeName },
): Promise<SampleValue[]> {
  const { columns, formula } = attributeTypes[type]
  if (formula === undefined) throw new Error(`The type ${type} has no formulas.`)
  const result = `(\n${formulaSql(model, parsed).text}\n)::${columns[formula.column]}`
  const value = formula.value('r.v')
  const sample: SampleValue[] = []
  const label = hasRecords(entityType) ? shownLabelSql(entityType, 'h') : 'null::text'
  await withTimeLimit(tx, LONGEST_MS, async () => {
    for (const entity of await readNewest(tx, entityType, { label, limit: SAMPLE })) {
      const computed = computeValue(tx, entityType, { id: entity.id, result, value })
      sample.push({ id: entity.id, label: entity.label, value: await orNull(computed) })
    }
  })
  return sample
}

async function orNull(computed: Promise<string | null>): Promise<SampleValue['value']> {
  try {
    const json = await computed
    return json === null ? null : (JSON.parse(json) as SampleValue['value']) // PostgreSQL made it of a scalar
  } catch (error) {
    if (!isFromPostgres(error)) throw error
    if (isCancellation(error)) throw new SqlRefused(`The formula takes longer than ${LONGEST_MS} ms for a record.`)
    return null
  }
}
