/**
 * The SQL of formulas: an expression over the row `h`, the trigger of a table that computes the stored formulas of a row before each write
 * of it, and the functions with which statements compute those that read the clock. A formula that fails, such as by a division by zero, has no value and fails no write. See docs/decisions/formulas.md.
 */

import { renderArray } from '#db/connect'
import { columnName, columnsOf } from '#engine/attribute-types/definition/columns'
import { attributeType } from '#engine/attribute-types/registry'
import {
  type Attribute,
  type DataModel,
  type EntityType,
  type FunctionCall,
  SYSTEM_ACTOR,
} from '#engine/data-model/model'
import { activeFromSql, microsSql, provenanceSql } from '#engine/storage/provenance'
import { entityTableName } from '#engine/data-model/names'
import { applyEdits, type EditedText, SqlRefused } from '#engine/sql/compile/source-text'
import { columnSql, type StatementParameters } from '#engine/sql/compile/tables/column-sql'
import { type FormulaReference, formulaText, type ParsedFormula, parseFormula, readsClock } from './parse-formula'

/** The computed attributes of an entity type, also archived ones. */
export const computedAttributes = ({ attributes }: EntityType): readonly Attribute[] =>
  attributes.filter(({ computed }) => computed != null)

/** Those whose columns the trigger of the table fills. */
export const storedFormulas = (entityType: EntityType): readonly Attribute[] =>
  computedAttributes(entityType).filter(({ stored_in }) => stored_in === 'formula')

/** Those that read the clock, so that statements compute them with functions. */
export const formulasOfClock = (entityType: EntityType): readonly Attribute[] =>
  computedAttributes(entityType).filter(({ stored_in }) => stored_in === 'function')

/** The parsed formula of a computed attribute. */
export const parsedFormulaOf = (entityType: EntityType, { computed }: Attribute): ParsedFormula =>
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

function referenceSql(model: DataModel, { attribute, field }: FormulaReference, clock: string): string {
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
export function inOrderOfUse(entityType: EntityType): Attribute[] {
  const ordered = new Set<Attribute>()
  const add = (attribute: Attribute, path: readonly Attribute[]): void => {
    if (path.includes(attribute)) throw new SqlRefused(`The formula of ${attribute.api_slug} depends on itself`)
    for (const named of namedBy(entityType, attribute)) if (!ordered.has(named)) add(named, [...path, attribute])
    ordered.add(attribute)
  }
  for (const attribute of computedAttributes(entityType)) add(attribute, [])
  return [...ordered].filter(({ stored_in }) => stored_in === 'formula')
}

/** The computed attributes that the formula of one names. */
const namedBy = ({ attributes }: EntityType, { computed }: Attribute): Attribute[] => {
  const ids = namedIds(computed?.formula ?? [])
  return attributes.filter((each) => each.computed != null && ids.has(each.id))
}

export const namedIds = (parts: NonNullable<Attribute['computed']>['formula']): ReadonlySet<string> =>
  new Set(parts.flatMap((part) => (typeof part === 'string' ? [] : part.attribute)))

/**
 * The path from an attribute over the formulas that name each other back to it, as slugs; undefined without such a cycle. `parts` is
 * the formula that the attribute is to get.
 */
export function findCycle(
  entityType: EntityType,
  attribute: Attribute,
  parts: NonNullable<Attribute['computed']>['formula'],
): string[] | undefined {
  const search = (from: Attribute, path: string[]): string[] | undefined => {
    const named =
      from.id === attribute.id
        ? namedBy(entityType, { ...from, computed: { formula: parts } })
        : namedBy(entityType, from)
    for (const next of named) {
      if (next.id === attribute.id) return [...path, next.api_slug]
      const found = search(next, [...path, next.api_slug])
      if (found) return found
    }
    return undefined
  }
  return search(attribute, [attribute.api_slug])
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
    body: trackedFormulas(entityType).length === 0 ? undefined : changesBody(model, entityType),
  },
]

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
  const event = name === 'formulas' ? 'before insert or update' : 'after update'
  const condition = name === 'formulas' ? '' : `when (${isTrackedChange(trackedFormulas(entityType))}) `
  return [
    `create or replace function ${called}() returns trigger language plpgsql as ${literal(body)}`,
    `create or replace trigger ${name} ${event} on ${table} for each row ${condition}execute function ${called}()`,
  ]
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

// Tracked formulas. The time of a change is that of the write; of a refresh, which leaves `updated_at`, it is that of the transaction.

const trackedFormulas = (entityType: EntityType): readonly Attribute[] =>
  storedFormulas(entityType).filter(({ has_history }) => has_history)

const valueColumn = (attribute: Attribute): string => columnName(attribute, formulaType(attribute).formula.column)

/** Rows that are computed after a change of a formula keep their version, and have no change. */
const isTrackedChange = (attributes: readonly Attribute[]): string =>
  `old.version <> new.version and (${attributes.map(isOther).join(' or ')})`

function isOther(attribute: Attribute): string {
  const column = valueColumn(attribute)
  return `old.${column} is distinct from new.${column}`
}

/** Since when the old value was active, and since when the new one is. */
function timesOf({ number }: Attribute): { readonly since: string; readonly at: string } {
  const since = activeFromSql(provenanceSql('old.provenance', number, '0'), 'old.created_at')
  const written = 'case when new.updated_at = old.updated_at then now() else new.updated_at end'
  return { since, at: `greatest(${written}, ${since} + interval '1 microsecond')` }
}

/** Stores since when the new value is active. */
function provenanceOfChange(attribute: Attribute): string {
  const key = `${attribute.number}`
  const entry = `jsonb_build_array(jsonb_build_array(${microsSql(timesOf(attribute).at)}, ${SYSTEM_ACTOR}))`
  const before = `coalesce(new.provenance, '{}')`
  return `if tg_op = 'UPDATE' and ${isOther(attribute)} then
new.provenance := case when new.${valueColumn(attribute)} is null then nullif(${before} - '${key}', '{}') else jsonb_set(${before}, '{${key}}', ${entry}) end;
end if;`
}

/** The source of the function of the trigger that inserts ended values into the history, and events into the outbox. */
function changesBody(model: DataModel, entityType: EntityType): string {
  const { schema } = model
  const steps = trackedFormulas(entityType).map((attribute) => {
    const { since, at } = timesOf(attribute)
    return `if ${isOther(attribute)} then
if old.${valueColumn(attribute)} is not null then
insert into ${schema}.history (entity_id, attribute, active_from, active_until, actor, mirrored, value, ended_by)
values (new.id, ${attribute.number}, ${since}, ${at}, ${SYSTEM_ACTOR}, false, ${storedValue(attribute)}, ${SYSTEM_ACTOR});
end if;
events := events || ${eventOf(entityType, attribute)};
at := ${at};
end if;`
  })
  return `declare
events jsonb := '[]';
at timestamptz;
begin
${steps.join('\n')}
insert into ${schema}.outbox (occurred_at, actor, events) values (at, ${SYSTEM_ACTOR}, events::json);
return null;
end`
}

/** The old value as the history has it: numbers and booleans as they are, and texts of all others. */
function storedValue(attribute: Attribute): string {
  const { columns, formula } = formulaType(attribute)
  const column = `old.${valueColumn(attribute)}`
  const isText = !['double precision', 'boolean'].includes(columns[formula.column] ?? '')
  const members = Object.keys(columns).map((member) =>
    member === formula.column ? `'${member}', ${column}${isText ? '::text' : ''}` : `'${member}', null`,
  )
  return `jsonb_build_object(${members.join(', ')})`
}

/** An event without the values, which receivers read. Ids in the data model are UUIDs. */
function eventOf(entityType: EntityType, attribute: Attribute): string {
  const event = (type: string, id: string, more = '') =>
    `jsonb_build_object('event_type', '${type}', 'id', jsonb_build_object(${id}, 'attribute_id', '${attribute.id}')${more})`
  if (entityType.kind === 'object')
    return event('record.updated', `'object_id', '${entityType.id}', 'record_id', new.id`)
  if (entityType.kind === 'activity')
    return event('activity-record.updated', `'activity_id', '${entityType.id}', 'record_id', new.id`)
  const [first] = entityType.parentObjects
  const objects = entityType.parentObjects.map(({ number, id }) => ` when ${number} then '${id}'`).join('')
  const parent = first === undefined ? 'null' : `case new.parent_object${objects} else '${first.id}' end`
  return event(
    'list-entry.updated',
    `'list_id', '${entityType.id}', 'entry_id', new.id`,
    `, 'parent_object_id', ${parent}, 'parent_record_id', new.parent_record_id`,
  )
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

function createCall(model: DataModel, entityType: EntityType, attribute: Attribute): string {
  const { columns, formula } = formulaType(attribute)
  const types = new Map(entityType.attributes.flatMap(columnsOf).map(({ name, sqlType }) => [name, sqlType]))
  const parameters = callOf(attribute).columns.map((name) => (name === 'id' ? 'uuid' : (types.get(name) ?? 'text')))
  return (
    `create function ${callOf(attribute).name}(${[...parameters, 'timestamptz default now()'].join(', ')}) ` +
    `returns ${columns[formula.column]} language plpgsql stable as ${literal(callBody(model, entityType, attribute))}`
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
