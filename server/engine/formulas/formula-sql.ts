/**
 * The SQL of formulas: an expression over the row `h`, the trigger of a table that computes the stored formulas of a row before each write
 * of it, and the functions with which statements compute those that read the clock. A formula that fails, such as by a division by zero, has no value and fails no write. See docs/decisions/formulas.md.
 */

import { renderArray } from '#db/connect'
import { columnName, columnsOf } from '#engine/attribute-types/definition/columns'
import { attributeType } from '#engine/attribute-types/registry'
import type { Attribute, DataModel, EntityType, FunctionCall } from '#engine/data-model/model'
import { changesBody, isTrackedChange, provenanceOfChange } from '#engine/storage/statements/formula-changes'
import { entityTableName } from '#engine/data-model/names'
import { namedIdsOf } from '#engine/rollups/definition'
import { applyEdits, type EditedText, SqlRefused } from '#engine/sql/compile/source-text'
import { columnSql, type StatementParameters } from '#engine/sql/compile/tables/column-sql'
import { type FormulaReference, formulaText, type ParsedFormula, parseFormula, readsClock } from './parse-formula'

/** The formulas of an entity type, also archived ones. */
export const computedAttributes = ({ attributes }: EntityType): readonly Attribute[] =>
  attributes.filter(({ computed }) => computed?.formula != null)

/** Those whose columns the trigger of the table fills. */
export const storedFormulas = (entityType: EntityType): readonly Attribute[] =>
  computedAttributes(entityType).filter(({ stored_in }) => stored_in === 'formula')

/** Those whose changes have history and events. */
export const trackedFormulas = (entityType: EntityType): readonly Attribute[] =>
  storedFormulas(entityType).filter(({ has_history }) => has_history)

/** Those that read the clock, so that statements compute them with functions. */
export const formulasOfClock = (entityType: EntityType): readonly Attribute[] =>
  computedAttributes(entityType).filter(({ stored_in }) => stored_in === 'function')

/** The parsed formula of a computed attribute. */
const parsedFormulaOf = (entityType: EntityType, { computed }: Attribute): ParsedFormula =>
  parseFormula(entityType, formulaText(entityType, computed?.formula ?? []))

/** The formula as an expression over the row `h`, with the SQL of the present time. Positions in it map to the formula. */
export function formulaSql(
  model: DataModel,
  { source, references, clockReadings }: ParsedFormula,
  clock = 'now()',
): EditedText {
  const clocks = clockReadings.map(({ start, end, suffix }) => ({ start, end, text: clock + suffix }))
  const named = references.map((reference) => {
    const { start, end } = reference
    return { start, end, text: `(${referenceSql(model, reference, clock)})` }
  })
  return applyEdits(source, source.bytes.length, [...clocks, ...named])
}

/** The value of an attribute, or a field of it, of the row `h`. `clock` is the SQL of the present time, which formulas among them read. */
export function referenceSql(
  model: DataModel,
  { attribute, field }: Pick<FormulaReference, 'attribute' | 'field'>,
  clock = 'now()',
): string {
  const { sql } = attributeType(attribute.type)
  const member = sql.form === 'struct' ? sql.fields.find(({ name }) => name === field)?.column : undefined
  if (member !== undefined) return `h.${columnName(attribute, member)}`
  // In the order of their numbers, so that the text stays when options are moved.
  const options = attribute.options.toSorted((one, other) => one.number - other.number)
  const body = { model, parameters: LITERALS, joins: null, clock }
  return columnSql(body, { ...attribute, options }, { isNamed: true, isWhole: true })
}

/** A trigger has no parameters, so its text has the arrays. */
const LITERALS: StatementParameters = {
  values: [],
  addArray: (_key, type, items) => `${literal(renderArray(items()))}::${type}[]`,
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The entity type's stored formulas, each after those that it names. Throws `SqlRefused` for a cycle, which only an import could have. */
function inOrderOfUse(entityType: EntityType): Attribute[] {
  const ordered = new Set<Attribute>()
  const add = (attribute: Attribute, path: readonly Attribute[]): void => {
    if (path.includes(attribute)) throw new SqlRefused(`The formula of ${attribute.api_slug} depends on itself`)
    for (const named of namedBy(entityType, attribute)) if (!ordered.has(named)) add(named, [...path, attribute])
    ordered.add(attribute)
  }
  for (const attribute of computedAttributes(entityType)) add(attribute, [])
  return [...ordered].filter(({ stored_in }) => stored_in === 'formula')
}

/** The formulas of the entity type that the formula of one names. */
const namedBy = ({ attributes }: EntityType, { computed }: Attribute): Attribute[] => {
  const ids = computed ? namedIdsOf(computed) : new Set<string>()
  return attributes.filter((each) => each.computed?.formula != null && ids.has(each.id))
}

/** A trigger of an entity type's table, with the source of its function. Undefined for one that the table does not need. */
export interface FormulaTrigger {
  readonly name: string
  readonly body: string | undefined
}

/** The trigger that computes stored formulas, and the one that records their changes. */
export const formulaTriggers = (model: DataModel, entityType: EntityType): FormulaTrigger[] => [
  { name: 'formulas', body: storedFormulas(entityType).length === 0 ? undefined : triggerBody(model, entityType) },
  {
    name: 'formula_changes',
    body:
      trackedFormulas(entityType).length === 0
        ? undefined
        : changesBody(model, entityType, trackedFormulas(entityType)),
  },
]

/**
 * After an expression has failed, PL/pgSQL plans it with the values of each further row of the transaction. Such a plan may leave out the
 * part that fails, so that the result would depend on the rows before.
 */
const GENERIC = 'set plan_cache_mode = force_generic_plan'

const functionName = ({ schema }: Pick<DataModel, 'schema'>, entityType: EntityType, trigger: string): string =>
  `${schema}."${entityTableName(entityType)}_${trigger}"`

/** The commands that make the triggers of an entity type's table, and its functions, as its formulas need them. `before` are the functions that there are. */
export const formulaCommands = (
  model: DataModel,
  entityType: EntityType,
  before: readonly Attribute[] = formulasOfClock(entityType),
): string[] => [
  ...formulaTriggers(model, entityType).flatMap((trigger) => triggerCommands(model, entityType, trigger)),
  ...before.map(dropCall),
  ...formulasOfClock(entityType).map((attribute) => createCall(model, entityType, attribute)),
]

export function triggerCommands(model: DataModel, entityType: EntityType, { name, body }: FormulaTrigger): string[] {
  const { table } = entityType
  const called = functionName(model, entityType, name)
  if (body === undefined) return [`drop trigger if exists ${name} on ${table}`, `drop function if exists ${called}()`]
  const event =
    name === 'formulas' ? `before insert or update of ${columnsOfTrigger(entityType, body).join(', ')}` : 'after update'
  const condition = name === 'formulas' ? '' : `when (${isTrackedChange(trackedFormulas(entityType))}) `
  return [
    `create or replace function ${called}() returns trigger language plpgsql ${GENERIC} as ${literal(body)}`,
    `create or replace trigger ${name} ${event} on ${table} for each row ${condition}execute function ${called}()`,
  ]
}

/** The columns that the formulas name, and the version, which a statement sets to have rows computed. Other updates leave the values as they are. */
function columnsOfTrigger(entityType: EntityType, body: string): string[] {
  const named = new Set([...body.matchAll(/\bh\.(\w+)/g)].map(([, name]) => name))
  const columns = entityType.attributes
    .filter(({ stored_in }) => stored_in !== 'formula')
    .flatMap(columnsOf)
    .flatMap(({ name }) => (name !== null && named.has(name) ? [name] : []))
  return ['version', ...new Set(columns)]
}

/** The commands that drop the functions of a table that was dropped. */
export const dropFunctions = (model: DataModel, entityType: EntityType): string[] => [
  ...formulaTriggers(model, entityType).flatMap(({ name, body }) =>
    body === undefined ? [] : [`drop function if exists ${functionName(model, entityType, name)}()`],
  ),
  ...formulasOfClock(entityType).map(dropCall),
]

/** The source of the function of the trigger that computes. The row `h` is the new one. */
function triggerBody(model: DataModel, entityType: EntityType): string {
  const blocks = inOrderOfUse(entityType).map((attribute) => computation(model, entityType, attribute))
  const provenances = trackedFormulas(entityType).map(provenanceOfChange)
  return `declare h alias for new;\nbegin\n${[...blocks, ...provenances].join('\n')}\nreturn h;\nend`
}

/** An assignment of the value, in a block that catches the errors of the formula. */
function computation(model: DataModel, entityType: EntityType, attribute: Attribute): string {
  const { columns, formula } = formulaType(attribute)
  const variable = `v_${attribute.number}`
  const column = `h.${columnName(attribute, formula.column)}`
  const parsed = parsedFormulaOf(entityType, attribute)
  // Only an import could have it.
  if (readsClock(parsed)) throw new SqlRefused(`The formula of ${attribute.api_slug} is stored and reads the clock`)
  const expression = formulaSql(model, parsed).text
  return `declare ${variable} ${columns[formula.column]};
begin
${variable} := (\n${expression}\n);
${column} := ${formula.value(variable)};
exception when others then ${column} := null;
end;`
}

function formulaType({ id, type }: Attribute) {
  const { columns, formula } = attributeType(type)
  if (formula === undefined) throw new Error(`Attribute ${id} is of a type without formulas.`)
  return { columns, formula }
}

// The functions of formulas that read the clock. Statements call them with columns of their rows.

const callOf = ({ id, call }: Attribute): FunctionCall => {
  if (call === undefined) throw new Error(`Attribute ${id} has no function.`)
  return call
}

/** There is one function of the name, so that the command needs no types of arguments. */
const dropCall = (attribute: Attribute): string => `drop function if exists ${callOf(attribute).name}`

/** The commands that make the function anew. */
export const callCommands = (model: DataModel, entityType: EntityType, attribute: Attribute): string[] => [
  dropCall(attribute),
  createCall(model, entityType, attribute),
]

/** It is immutable, because the time is an argument, and Citus refuses others in `returning`. */
function createCall(model: DataModel, entityType: EntityType, attribute: Attribute): string {
  const { columns, formula } = formulaType(attribute)
  const types = new Map(entityType.attributes.flatMap(columnsOf).map(({ name, sqlType }) => [name, sqlType]))
  const parameters = callOf(attribute).columns.map((name) => (name === 'id' ? 'uuid' : (types.get(name) ?? 'text')))
  return (
    `create function ${callOf(attribute).name}(${[...parameters, 'timestamptz default now()'].join(', ')}) ` +
    `returns ${columns[formula.column]} language plpgsql immutable ${GENERIC} as ${literal(callBody(model, entityType, attribute))}`
  )
}

/** The source of the function. The label of the block is the row `h`, whose columns are the arguments. */
export function callBody(model: DataModel, entityType: EntityType, attribute: Attribute): string {
  const { columns, formula } = formulaType(attribute)
  const { columns: named } = callOf(attribute)
  const declarations = [...named, 'clock'].map((name, index) => `${name} alias for $${index + 1};`)
  const expression = formulaSql(model, parsedFormulaOf(entityType, attribute), 'h.clock').text
  return `<<h>>
declare
${declarations.join('\n')}
result ${columns[formula.column]};
begin
result := (\n${expression}\n);
return ${formula.value('result')};
exception when others then return null;
end`
}
