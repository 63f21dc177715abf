/**
 * What depends on the form of a query only: its cost, its indexes and its statements. It is cached with the data model, so for
 * one version and for members with the same access to objects. See docs/decisions/pages.md.
 */

import { createLru, type Lru } from '#base/caching/caching'
import type { DataModel, EntityType } from '#engine/data-model/model'
import { compilePage, type PageQuery, type PageStatement } from '#engine/query/compile/page-statement'
import { estimateCost, type EstimatedCost } from '#engine/query/planning/estimate-cost'
import type { Query } from '#engine/query/resolve/resolve-query'
import { formOf, type QueryForm, serialOf, slotIn } from './query-form'

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
