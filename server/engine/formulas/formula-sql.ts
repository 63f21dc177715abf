/**
 * The SQL of formulas: an expression over the row `h`, and the trigger of a table that computes all formulas of a row before each write
 * of it. A formula that fails, such as by a division by zero, has no value and fails no write. See docs/decisions/formulas.md.
 */

import { renderArray } from '#db/connect'
import { columnName } from '#engine/attribute-types/definition/columns'
import { attributeType } from '#engine/attribute-types/registry'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { entityTableName } from '#engine/data-model/names'
import { namedIdsOf } from '#engine/rollups/definition'
import { applyEdits, type EditedText, SqlRefused } from '#engine/sql/compile/source-text'
import { columnSql, type StatementParameters } from '#engine/sql/compile/tables/column-sql'
import { type FormulaReference, formulaText, type ParsedFormula, parseFormula } from './parse-formula'

/** The formulas of an entity type, also archived ones. */
export const computedAttributes = ({ attributes }: EntityType): readonly Attribute[] =>
  attributes.filter(({ stored_in }) => stored_in === 'formula')

/** The parsed formula of a computed attribute. */
export const parsedFormulaOf = (entityType: EntityType, { computed }: Attribute): ParsedFormula =>
  parseFormula(entityType, formulaText(entityType, computed?.formula ?? []))

/** The formula as an expression over the row `h`. Positions in it map to the formula. */
export function formulaSql(model: DataModel, { source, references }: ParsedFormula): EditedText {
  const edits = references.map((reference) => {
    const { start, end } = reference
    return { start, end, text: `(${referenceSql(model, reference)})` }
  })
  return applyEdits(source, source.bytes.length, edits)
}

/** The value of an attribute, or a field of it, of the row `h`. */
export function referenceSql(
  model: DataModel,
  { attribute, field }: Pick<FormulaReference, 'attribute' | 'field'>,
): string {
  const { sql } = attributeType(attribute.type)
  const member = sql.form === 'struct' ? sql.fields.find(({ name }) => name === field)?.column : undefined
  if (member !== undefined) return `h.${columnName(attribute, member)}`
  // In the order of their numbers, so that the text stays when options are moved.
  const options = attribute.options.toSorted((one, other) => one.number - other.number)
  const body = { model, parameters: LITERALS, joins: null }
  return columnSql(body, { ...attribute, options }, { isNamed: true, isWhole: true })
}

/** A trigger has no parameters, so its text has the arrays. */
const LITERALS: StatementParameters = {
  values: [],
  addArray: (_key, type, items) => `${literal(renderArray(items()))}::${type}[]`,
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The entity type's formulas, each after those that its formula names. Throws `SqlRefused` for a cycle, which only an import could have. */
export function inOrderOfUse(entityType: EntityType): Attribute[] {
  const ordered = new Set<Attribute>()
  const add = (attribute: Attribute, path: readonly Attribute[]): void => {
    if (path.includes(attribute)) throw new SqlRefused(`The formula of ${attribute.api_slug} depends on itself`)
    for (const named of namedBy(entityType, attribute)) if (!ordered.has(named)) add(named, [...path, attribute])
    ordered.add(attribute)
  }
  for (const attribute of computedAttributes(entityType)) add(attribute, [])
  return [...ordered]
}

/** The formulas of the entity type that the formula of one names. */
const namedBy = ({ attributes }: EntityType, { computed }: Attribute): Attribute[] => {
  const ids = computed ? namedIdsOf(computed) : new Set<string>()
  return attributes.filter(({ id, stored_in }) => stored_in === 'formula' && ids.has(id))
}

const TRIGGER = 'formulas'

const functionName = ({ schema }: Pick<DataModel, 'schema'>, entityType: EntityType): string =>
  `${schema}."${entityTableName(entityType)}_${TRIGGER}"`

/** The commands that make the trigger of an entity type's table as its formulas need it. */
export function triggerCommands(model: DataModel, entityType: EntityType): string[] {
  const { table } = entityType
  const name = functionName(model, entityType)
  if (computedAttributes(entityType).length === 0)
    return [`drop trigger if exists ${TRIGGER} on ${table}`, `drop function if exists ${name}()`]
  return [
    `create or replace function ${name}() returns trigger language plpgsql as ${literal(triggerBody(model, entityType))}`,
    `create or replace trigger ${TRIGGER} before insert or update on ${table} for each row execute function ${name}()`,
  ]
}

/** The command that drops the function of a table that was dropped. */
export const dropFunction = (model: Pick<DataModel, 'schema'>, entityType: EntityType): string =>
  `drop function if exists ${functionName(model, entityType)}()`

/** The source of the trigger's function. The row `h` is the new one. */
export function triggerBody(model: DataModel, entityType: EntityType): string {
  const blocks = inOrderOfUse(entityType).map((attribute) => computation(model, entityType, attribute))
  return `declare h alias for new;\nbegin\n${blocks.join('\n')}\nreturn h;\nend`
}

/** An assignment of the value, in a block that catches the errors of the formula. */
function computation(model: DataModel, entityType: EntityType, attribute: Attribute): string {
  const { columns, formula } = attributeType(attribute.type)
  if (formula === undefined) throw new Error(`Attribute ${attribute.id} is of a type without formulas.`)
  const variable = `v_${attribute.number}`
  const column = `h.${columnName(attribute, formula.column)}`
  const expression = formulaSql(model, parsedFormulaOf(entityType, attribute)).text
  return `declare ${variable} ${columns[formula.column]};
begin
${variable} := (\n${expression}\n);
${column} := ${formula.value(variable)};
exception when others then ${column} := null;
end;`
}
