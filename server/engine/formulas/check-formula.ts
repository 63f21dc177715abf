/** Checks a formula before it is stored: as a text, by PostgreSQL, and against the type of its attribute. */

import type { Transaction } from '#db/connect'
import { attributeTypes } from '#engine/attribute-types/registry'
import type { DataModel, EntityType } from '#engine/data-model/model'
import { SqlRefused } from '#engine/sql/compile/source-text'
import { isFromPostgres } from '#engine/sql/run/statement'
import { TYPE_NAMES, type TypeName } from '#vocabulary/data-model'
import { formulaSql } from './formula-sql'
import { type ParsedFormula, parseFormula } from './parse-formula'

export interface CheckedFormula {
  readonly parsed: ParsedFormula
  /** The types that an attribute with the formula may have; the first one is the plainest. */
  readonly types: readonly TypeName[]
}

const BEFORE = 'select pg_typeof((select (\n'

/** Throws `SqlRefused`. Nothing is computed. */
export async function checkFormula(
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
  text: string,
): Promise<CheckedFormula> {
  const parsed = parseFormula(entityType, text)
  const result = await readResultType(tx, model, entityType, parsed)
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

/** The type of the result, which PostgreSQL infers without computing it. */
async function readResultType(
  tx: Transaction,
  model: DataModel,
  { table }: EntityType,
  parsed: ParsedFormula,
): Promise<string> {
  const { text, toCallerPosition } = formulaSql(model, parsed)
  try {
    const statement = `${BEFORE}${text}\n) from ${table} h where false))::text as type`
    const [row] = await tx.savepoint((step) => step.unsafe<{ type: string }[]>(statement))
    return row?.type ?? 'unknown'
  } catch (error) {
    if (!isFromPostgres(error)) throw error
    const position = error.position === undefined ? null : toCallerPosition(Number(error.position) - BEFORE.length)
    throw new SqlRefused(error.message, position, error.hint ?? null)
  }
}
