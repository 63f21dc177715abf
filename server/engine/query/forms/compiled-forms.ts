/**
 * What depends on the form of a query only: its cost, its indexes and its statements. It is cached with the data model, so for
 * one version and for members with the same access to objects. See docs/decisions/pages.md.
 */

import { createLru, type Lru } from '#base/caching/caching'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { compilePage, type PageQuery, type PageStatement } from '#engine/query/compile/page-statement'
import { estimateCost, type EstimatedCost } from '#engine/query/planning/estimate-cost'
import type { Query } from '#engine/query/resolve/resolve-query'
import type { ColumnProperty, Property, Scalar, SqlType } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'
import { isUniqueKey } from '#engine/query/planning/composite-index'
import type { Comparison, Condition, Operand, ValueCondition } from '#engine/query/resolve/condition'

/** A query with what was compiled for its form. */
export interface FormedQuery extends Query {
  readonly cost: EstimatedCost
  /** Undefined when the statement depends on the operands. */
  readonly form: (QueryForm & { readonly statements: Lru<string, PageTemplate> }) | undefined
}

/** The statement of a page. A parameter that is a number is the operand of this index. */
interface PageTemplate {
  readonly text: string
  readonly parameters: readonly (string | number)[]
  readonly keysOf: PageStatement['keysOf']
}

interface CompiledForm {
  readonly cost: EstimatedCost
  readonly statements: Lru<string, PageTemplate>
}

/** A form takes a few kilobytes. Clients of a workspace seldom send more forms. */
const MAX_FORMS = 100
/** Pages of one form differ in their limit and in the selected attributes. */
const MAX_STATEMENTS = 10

const compiled = new WeakMap<DataModel, Lru<string, CompiledForm>>()

/** Adds the form of the query, if it has one, and its cost, which is computed once for each form and data model. */
export function formQuery(model: DataModel, entityType: EntityType, query: Query): FormedQuery {
  const form = formOf(query)
  if (form === undefined) return { ...query, cost: estimateCost(model, entityType, query), form }
  const forms = compiled.get(model) ?? createLru<string, CompiledForm>(MAX_FORMS)
  compiled.set(model, forms)
  const key = `${serialOf(entityType)} ${form.key}`
  let cached = forms.get(key)
  if (cached === undefined) {
    const cost = estimateCost(model, entityType, { ...query, condition: form.condition })
    cached = { cost, statements: createLru(MAX_STATEMENTS) }
    forms.set(key, cached)
  }
  return { ...query, cost: cached.cost, form: { ...form, statements: cached.statements } }
}

/** Compiles the statement of a page, or takes the compiled one of its form. `select` is the select list of the renderer. */
export function pageStatement(
  model: DataModel,
  entityType: EntityType,
  page: PageQuery & Pick<FormedQuery, 'form'>,
  select: string,
): PageStatement {
  const { form, limit, offset, after, isPresentOnly } = page
  // The keys of a cursor are in the text where they are missing.
  if (form === undefined || (after !== undefined && after !== null)) return compilePage(model, entityType, page, select)
  const key = `${limit} ${offset} ${after === null} ${isPresentOnly === true} ${select}`
  let template = form.statements.get(key)
  if (template === undefined) {
    template = templateOf(compilePage(model, entityType, { ...page, condition: form.condition }, select))
    form.statements.set(key, template)
  }
  const parameters = template.parameters.map((each) => (typeof each === 'string' ? each : (form.operands[each] ?? '')))
  return { text: template.text, parameters, keysOf: template.keysOf }
}

function templateOf({ text, parameters, keysOf }: PageStatement): PageTemplate {
  if (slotIn(text) !== undefined) throw new Error('A slot of an operand is in the text of a statement.')
  return { text, parameters: parameters.map((parameter) => slotIn(parameter) ?? parameter), keysOf }
}

/**
 * The form of a query: all of it except for those operands that its statement has as parameters. Queries of one form have the
 * same statement text, index and score. See docs/decisions/pages.md.
 */
interface QueryForm {
  /** Equal for queries of the same form. It names attributes and properties by object, so it holds for one data model. */
  readonly key: string
  /** The operands that are no part of the form, in the order of the filter. */
  readonly operands: readonly string[]
  /** The condition with a slot in the place of each of these operands. */
  readonly condition: Condition
}

/** No request contains NUL, so no other operand equals a slot. */
const SLOT = '\0'

const slotText = (index: number): string => `${SLOT}${index}`

/** The index of the slot that is this text. Undefined for other texts. Throws for a text that contains a slot. */
function slotIn(text: string): number | undefined {
  if (!text.includes(SLOT)) return undefined
  const index = Number(text.slice(SLOT.length))
  if (text.startsWith(SLOT) && Number.isInteger(index)) return index
  throw new Error('A slot of an operand is not a parameter by itself.')
}

/** Thrown for a query whose statement depends on its operands. */
class DependsOnOperands extends Error {}

/** Returns undefined for a query whose statement depends on its operands in other ways than by parameters. */
function formOf({ condition, sorts }: Pick<Query, 'condition' | 'sorts'>): QueryForm | undefined {
  const collector: Collector = { key: '', operands: [] }
  try {
    const slotted = addCondition(collector, condition)
    for (const { steps, attribute, property, direction } of sorts) {
      collector.key += `;${direction}`
      for (const step of steps) collector.key += `/${serialOf(step.attribute)}>${serialOf(step.target)}`
      collector.key += `/${serialOf(attribute)}.${property === null ? 'label' : serialOf(property)}`
    }
    return { ...collector, condition: slotted }
  } catch (error) {
    if (error instanceof DependsOnOperands) return undefined
    throw error
  }
}

interface Collector {
  key: string
  readonly operands: string[]
}

/** Adds the condition to the key, and returns it with slots. */
function addCondition(collector: Collector, condition: Condition): Condition {
  switch (condition.kind) {
    case 'all':
    case 'any': {
      collector.key += `${condition.kind}(`
      const of = condition.of.map((each) => addCondition(collector, each))
      collector.key += ')'
      return { kind: condition.kind, of }
    }
    case 'not':
      collector.key += 'not '
      return { kind: 'not', of: addCondition(collector, condition.of) }
    case 'reference': {
      const { step } = condition
      collector.key += `${serialOf(step.attribute)}>${serialOf(step.target)} `
      return { kind: 'reference', step, condition: addCondition(collector, condition.condition) }
    }
    case 'value':
      return addValue(collector, condition)
  }
}

function addValue(collector: Collector, { attribute, comparisons }: ValueCondition): ValueCondition {
  collector.key += `${serialOf(attribute)}[`
  const slotted = comparisons.map((comparison) => addComparison(collector, attribute, comparison))
  collector.key += ']'
  return { kind: 'value', attribute, comparisons: slotted }
}

function addComparison(collector: Collector, attribute: Attribute, comparison: Comparison): Comparison {
  switch (comparison.kind) {
    case 'present':
      collector.key += `present ${comparison.property === null ? 'any' : serialOf(comparison.property)},`
      return comparison
    case 'since':
      collector.key += `since ${comparison.operator},`
      return { ...comparison, instant: addSlot(collector, comparison.instant) }
    case 'numbers':
      addNumbers(collector, comparison.property, comparison.numbers)
      return comparison
    case 'in':
      addNumbers(collector, comparison.property, comparison.operands)
      return comparison
    case 'compare':
      collector.key += `${serialOf(comparison.property)}${comparison.operator} `
      return { ...comparison, operand: addOperand(collector, attribute, comparison) }
  }
}

function addSlot({ operands }: Collector, operand: Scalar): string {
  return slotText(operands.push(String(operand)) - 1)
}

/** A longer list seldom comes twice. */
const MAX_NUMBERS = 20

/** Numbers are part of the text. */
function addNumbers(collector: Collector, property: Property, numbers: readonly Operand[]): void {
  if (numbers.length > MAX_NUMBERS || !numbers.every((each) => typeof each === 'number')) throw new DependsOnOperands()
  collector.key += `${serialOf(property)} in ${numbers.join()},`
}

/** Adds an operand that is part of the text, such as an option, to the key; and the type of any other to the operands. */
function addOperand(
  collector: Collector,
  attribute: Attribute,
  comparison: Comparison & { readonly kind: 'compare' },
): Operand {
  const { operand, property } = comparison
  const sqlType = attributeType(attribute.type).columns[property.column]
  if (operand === null || typeof operand === 'boolean' || isWritten(sqlType, operand)) {
    collector.key += `${String(operand)},`
    return operand
  }
  if (!isParameter(attribute, comparison, sqlType)) throw new DependsOnOperands()
  if (typeof operand !== 'object') {
    collector.key += '?,'
    return addSlot(collector, operand)
  }
  const [value, remainder] = operand
  if (value === null || typeof value === 'boolean') throw new DependsOnOperands()
  collector.key += `?+${String(remainder)},`
  return [addSlot(collector, value), remainder]
}

const isWritten = (sqlType: SqlType | undefined, operand: Operand): operand is number =>
  typeof operand === 'number' && (sqlType === 'int' || sqlType === 'smallint')

const RANGES: ReadonlySet<string> = new Set(['$eq', '$lt', '$lte', '$gt', '$gte'])
const ORDERED: ReadonlySet<string | undefined> = new Set<SqlType>([
  'double precision',
  'numeric',
  'date',
  'timestamptz',
])

/** Whether the operand is a parameter by itself, and decides nothing else. */
function isParameter(
  attribute: Attribute,
  comparison: Comparison & { readonly kind: 'compare' },
  sqlType: SqlType | undefined,
): boolean {
  const { property, operator } = comparison
  if (attribute.is_multiselect || attribute.stored_in === 'partner' || isAbsent(property)) return false
  if (isUniqueKey(attribute, comparison)) return false
  if (ORDERED.has(sqlType)) return RANGES.has(operator)
  return sqlType === 'text' && operator === '$eq' && attribute.stored_in !== 'entity'
}

const isAbsent = ({ absentAs }: ColumnProperty): boolean => absentAs !== undefined

/** Numbers objects, so that a key can name them by identity: an attribute of one data model is another object than that of the next. */

const serials = new WeakMap<object, number>()
let last = 0

function serialOf(object: object): number {
  let serial = serials.get(object)
  if (serial === undefined) serials.set(object, (serial = ++last))
  return serial
}
