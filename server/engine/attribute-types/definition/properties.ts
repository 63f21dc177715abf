/** Properties that several types have, and their operands. See docs/reference/query.md (Operators, Fields by type). */

import type { Attribute, DataModel } from '#engine/data-model/model'
import { InvalidValue } from '#base/errors/api-error'
import type { ActiveFromProperty, ColumnProperty, Operator, Scalar } from '#engine/attribute-types/define'
import { parseInstant } from '#engine/attribute-types/formats/instants'

export const EXACT_OPERATORS: readonly Operator[] = ['$eq', '$in', '$not_empty']
const ORDERED: readonly Operator[] = ['$eq', '$not_empty', '$lt', '$lte', '$gt', '$gte']
const TEXT_OPERATORS: readonly Operator[] = ['$eq', '$in', '$not_empty', '$contains', '$starts_with', '$ends_with']

/** Text. `normalise` converts the operand to the stored form. */
export const textual = <const Column extends string>(
  column: Column,
  normalise: (text: string, operator: Operator) => string = (text) => text,
): ColumnProperty<Column> => ({
  source: 'column',
  column,
  operators: TEXT_OPERATORS,
  operand: (raw, _attribute, _model, operator) => normalise(stringOperand(raw), operator),
})

/** The part before (1) or after (2) a separator that occurs once in the text. */
export const partOf = <const Column extends string>(
  column: Column,
  mark: '@',
  part: 1 | 2,
): ColumnProperty<Column> => ({
  ...textual(column, (text) => text.toLowerCase()),
  expression: (columnSql) => `split_part(${columnSql}, '${mark}', ${part})`,
})

/** Values with an order. The operand is parsed like a written value. */
export const ordered = <const Column extends string>(
  column: Column,
  operand: (raw: unknown) => Scalar | readonly [Scalar, Scalar],
): ColumnProperty<Column> => ({ source: 'column', column, operators: ORDERED, operand })

/** Days or instants. */
export const temporal = <const Column extends string>(
  column: Column,
  operand: (raw: unknown) => Scalar | readonly [Scalar, Scalar],
): ColumnProperty<Column> => ({ ...ordered(column, operand), operators: [...ORDERED, '$relative'] })

/** The instant since which the value is active. */
export const activeFrom: ActiveFromProperty = {
  source: 'active_from',
  operators: ['$lt', '$lte', '$gt', '$gte', '$relative'],
  operand: (raw) => parseInstant(stringOperand(raw)).value,
}

/** Options in the order of their attribute. */
export const byPosition = ({ options }: Attribute): readonly number[] => options.map(({ number }) => number)

/** Members by email address; other actors come after them. */
export const byMember = (_attribute: Attribute, { membersByEmail }: DataModel): readonly number[] =>
  [...membersByEmail].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, { actor }]) => actor)

export function stringOperand(raw: unknown): string {
  if (typeof raw === 'string') return raw
  throw wrongOperand('string', raw)
}

export function numberOperand(raw: unknown): number {
  if (typeof raw === 'number' && Number.isFinite(raw)) return raw
  throw wrongOperand('number', raw)
}

export function wrongOperand(expected: string, raw: unknown): InvalidValue {
  const received = raw === null ? 'null' : Array.isArray(raw) ? 'array' : typeof raw
  const message = `Expected ${expected}, received ${received}`
  return new InvalidValue([{ code: 'invalid_type', path: [], message, expected, received }])
}
