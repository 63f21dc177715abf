/**
 * Computed attributes: what their requests may contain, and what changes of other attributes mean for them.
 * See docs/reference/objects-and-attributes.md (Computed attributes).
 */

import { hasCitus } from '#db/citus'
import { attributeNamedByFormulas } from '#base/errors/attributes'
import { invalidBody } from '#base/errors/http'
import type { ValidationIssue } from '#base/errors/api-error'
import type { Clock } from '#base/timing/clock'
import { attributeTypes } from '#engine/attribute-types/registry'
import type { RequestContext } from '#context'
import type { ModelChange } from '#engine/data-model/change-model'
import { entityTypeOf } from '#engine/data-model/find'
import type { Attribute, Computed, EntityType } from '#engine/data-model/model'
import { checkFormula, sampleFormula } from '#engine/formulas/check-formula'
import { applyFormulas } from '#engine/formulas/fill'
import { computedAttributes, findCycle, namedIds } from '#engine/formulas/formula-sql'
import { partsOf, readsClock } from '#engine/formulas/parse-formula'
import { SqlRefused } from '#engine/sql/compile/source-text'
import type { TypeName } from '#vocabulary/data-model'
import { TYPE_NAMES } from '#vocabulary/data-model'
import type { AttributeChange, AttributeInput, ComputedInput, FormulaPreview } from './schemas'

/** The limit for one object, list or activity: each of them is computed at each write. */
const MAX_COMPUTED = 50

/** Refuses members that a computed attribute cannot have. */
export function refuseComputedShape(entityType: EntityType, input: AttributeInput): void {
  const issues = settingsIssues(input)
  if (input.is_multiselect) issues.push(issue('is_multiselect', 'A formula has one value'))
  if (input.relationship) issues.push(issue('relationship', 'A computed attribute has no relationship'))
  if (attributeTypes[input.type].formula === undefined)
    issues.push(issue('type', `The types of formulas are ${FORMULA_TYPES.join(', ')}`))
  if (computedAttributes(entityType).length >= MAX_COMPUTED)
    issues.push(issue('computed', `${entityType.api_slug} has ${MAX_COMPUTED} computed attributes, which is the limit`))
  if (issues.length > 0) throw invalidBody(issues)
}

const FORMULA_TYPES = TYPE_NAMES.filter((name) => attributeTypes[name].formula !== undefined)

/** Refuses changes that a computed attribute cannot have, and a formula for another one. */
export function refuseComputedChange({ computed, api_slug, has_history }: Attribute, input: AttributeChange): void {
  const tracked = input.computed?.tracked
  if (computed && tracked !== undefined && tracked !== has_history) throw trackedIssue('Cannot change')
  const issues = computed ? settingsIssues(input) : []
  if (!computed && input.computed) issues.push(issue('computed', `"${api_slug}" is not a computed attribute`))
  if (issues.length > 0) throw invalidBody(issues)
}

function settingsIssues(
  input: Pick<AttributeChange, 'is_required' | 'is_unique' | 'default_value' | 'is_default_value_enabled'>,
) {
  const issues: ValidationIssue[] = []
  for (const member of ['is_required', 'is_unique', 'is_default_value_enabled'] as const)
    if (input[member] === true) issues.push(issue(member, 'Must be false for a computed attribute'))
  if (input.default_value != null) issues.push(issue('default_value', 'A computed attribute has no default value'))
  return issues
}

const issue = (member: string, message: string): ValidationIssue => ({
  code: 'invalid',
  path: ['data', member],
  message,
})

/** Checks a formula, also against the type of its attribute. See docs/reference/objects-and-attributes.md (Computed attributes). */
export async function parseComputed(
  { tx, model }: ModelChange,
  entityType: EntityType,
  { formula, tracked }: ComputedInput,
  type: TypeName,
): Promise<{ readonly computed: Computed; readonly isStored: boolean }> {
  const { parsed, types } = await refusedAsBody(checkFormula(tx, model, entityType, formula))
  if (!types.includes(type)) throw wrongType(types)
  // Refuses a formula that is slow.
  await refusedAsBody(sampleFormula(tx, model, entityType, { parsed, type }))
  const isStored = !readsClock(parsed)
  if (tracked === true && !isStored) throw trackedIssue('A formula that reads the clock has no history')
  if (tracked === true && (await hasCitus(tx))) throw trackedIssue('Must be false in a database that Citus distributes')
  return { computed: { formula: partsOf(parsed) }, isStored }
}

const trackedIssue = (message: string) =>
  invalidBody([{ code: 'invalid', path: ['data', 'computed', 'tracked'], message }])

const wrongType = (types: readonly TypeName[]) =>
  invalidBody([issue('type', `The formula has a value of type ${types.join(' or ')}`)])

/** The types that an attribute with the formula may have, and the values of the newest records or entries. Nothing is stored. */
export const previewFormula = async (
  { db, model }: RequestContext,
  entityType: EntityType,
  { formula, type }: { readonly formula: string; readonly type?: TypeName },
): Promise<FormulaPreview> =>
  (await db.sql.begin(async (tx) => {
    const { parsed, types } = await refusedAsBody(checkFormula(tx, model, entityType, formula), ['data', 'formula'])
    const [first] = types
    const wanted = type ?? first
    if (wanted === undefined || !types.includes(wanted)) throw wrongType(types)
    const sample = sampleFormula(tx, model, entityType, { parsed, type: wanted })
    return {
      types: [...types],
      is_stored: !readsClock(parsed),
      sample: await refusedAsBody(sample, ['data', 'formula']),
    }
  })) as FormulaPreview // the driver's type for the callback's result is wider

/** The same for a change of the formula, which other formulas may name. */
export async function changeComputed(
  step: ModelChange,
  entityType: EntityType,
  attribute: Attribute,
  input: ComputedInput,
): Promise<Computed> {
  const { computed, isStored } = await parseComputed(step, entityType, input, attribute.type)
  if (isStored !== (attribute.stored_in === 'formula'))
    throw formulaError(new SqlRefused(OTHER_STORAGE[attribute.stored_in === 'formula' ? 'stored' : 'computed']))
  const cycle = findCycle(entityType, attribute, computed.formula)
  if (cycle === undefined) return computed
  throw formulaError(new SqlRefused(`The formula depends on itself: ${cycle.join(' → ')}`))
}

const OTHER_STORAGE = {
  stored:
    'The values of this attribute are stored, so that its formula cannot read the clock: create another attribute for it.',
  computed: 'The formula of this attribute reads the clock: create another attribute for one that does not.',
}

const FORMULA_PATH: readonly string[] = ['data', 'computed', 'formula']

/** Converts the refusal of a formula to that of the body. */
async function refusedAsBody<T>(checked: Promise<T>, path = FORMULA_PATH): Promise<T> {
  try {
    return await checked
  } catch (error) {
    if (error instanceof SqlRefused) throw formulaError(error, path)
    throw error
  }
}

/** The position counts characters from 1. */
function formulaError({ message, position, hint }: SqlRefused, path = FORMULA_PATH) {
  const text = hint === null ? message : `${message.replace(/\.$/, '')}. ${hint}`
  return invalidBody([{ code: 'invalid', path: [...path], message: text, ...(position !== null && { position }) }])
}

/** Refuses to archive or to delete attributes that formulas of others name. */
export function refuseNamed(step: ModelChange, attributes: readonly Attribute[]): void {
  for (const attribute of attributes) {
    const formulas = formulasNaming(entityTypeOf(step.model, attribute), attribute)
    if (formulas.length > 0)
      throw attributeNamedByFormulas(
        attribute.api_slug,
        formulas.map(({ api_slug }) => api_slug),
      )
  }
}

const formulasNaming = (entityType: EntityType, { id }: Attribute): Attribute[] =>
  computedAttributes(entityType).filter(({ computed }) => computed && namedIds(computed.formula).has(id))

/** Computes formulas anew that name an attribute whose options changed: formulas compare titles. */
export async function refreshNamingFormulas(step: ModelChange, attribute: Attribute, now: Clock): Promise<void> {
  const entityType = entityTypeOf(step.model, attribute)
  const naming = formulasNaming(entityType, attribute)
  const isStoredChanged = naming.some(({ stored_in }) => stored_in === 'formula')
  if (naming.length > 0) await applyFormulas(step, entityType.id, now, isStoredChanged)
}
