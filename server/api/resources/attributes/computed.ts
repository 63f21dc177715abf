/**
 * Computed attributes: what their requests may contain, and what changes of other attributes mean for them.
 * See docs/reference/objects-and-attributes.md (Computed attributes).
 */

import { hasCitus } from '#db/citus'
import { invalidBody } from '#base/errors/http'
import type { ValidationIssue } from '#base/errors/api-error'
import type { Clock } from '#base/timing/clock'
import { attributeTypes } from '#engine/attribute-types/registry'
import type { RequestContext } from '#context'
import type { ModelChange } from '#engine/data-model/change-model'
import { wholeModel } from '#engine/data-model/access/member-model'
import type { Attribute, Computed, DataModel, EntityType } from '#engine/data-model/model'
import { checkFormula, sampleFormula } from '#engine/formulas/check-formula'
import { applyFormulas } from '#engine/formulas/fill'
import { partsOf, readsClock } from '#engine/formulas/parse-formula'
import { findCycle, namingAttribute } from '#engine/rollups/definition'
import { InvalidDefinition, parseLookup, parseRollup } from '#engine/rollups/parse-rollup'
import { applyRollup } from '#engine/rollups/refresh'
import { sampleRollup } from '#engine/rollups/sample'
import { SqlRefused } from '#engine/sql/compile/source-text'
import type { TypeName } from '#vocabulary/data-model'
import { TYPE_NAMES } from '#vocabulary/data-model'
import type { AttributeChange, AttributeInput, ComputedInput, ComputedPreview } from './schemas'

/** The limit for one object, list or activity: each of them is computed at each write. */
const MAX_COMPUTED = 50

/** Refuses members that a computed attribute cannot have. */
export function refuseComputedShape(entityType: EntityType, input: AttributeInput): void {
  const issues = settingsIssues(input)
  const kind = input.computed ? kindOf(input.computed) : 'formula'
  if (input.is_multiselect && kind !== 'lookup') issues.push(issue('is_multiselect', `A ${kind} has one value`))
  if (input.relationship) issues.push(issue('relationship', 'A computed attribute has no relationship'))
  if (kind !== 'lookup' && attributeTypes[input.type].formula === undefined)
    issues.push(issue('type', `The types of ${kind}s are ${FORMULA_TYPES.join(', ')}`))
  if (entityType.attributes.filter(({ computed }) => computed).length >= MAX_COMPUTED)
    issues.push(issue('computed', `${entityType.api_slug} has ${MAX_COMPUTED} computed attributes, which is the limit`))
  if (issues.length > 0) throw invalidBody(issues)
}

const FORMULA_TYPES = TYPE_NAMES.filter((name) => attributeTypes[name].formula !== undefined)

const KINDS = ['formula', 'lookup', 'rollup'] as const

/** Which kind of definition it is. Throws 400 unless it is one. */
function kindOf(input: ComputedInput): (typeof KINDS)[number] {
  const [kind, ...others] = KINDS.filter((name) => input[name] !== undefined)
  if (kind === undefined || others.length > 0) throw invalidBody([issue('computed', `Name one of ${KINDS.join(', ')}`)])
  return kind
}

/** Refuses changes that a computed attribute cannot have, and a definition for another one. */
export function refuseComputedChange({ computed, api_slug, has_history }: Attribute, input: AttributeChange): void {
  const tracked = input.computed?.tracked
  if (computed && tracked !== undefined && tracked !== has_history) throw trackedIssue('Cannot change')
  const issues = computed ? settingsIssues(input) : []
  if (!computed && input.computed) issues.push(issue('computed', `"${api_slug}" is not a computed attribute`))
  if (computed && input.computed) {
    const kind = kindOf(input.computed)
    if (computed[kind] === undefined) issues.push(issue('computed', `"${api_slug}" is not a ${kind}`))
  }
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

/** The members of an attribute that its definition must fit. */
type Shape = Pick<AttributeInput, 'type' | 'is_multiselect'>

interface Definition {
  readonly computed: Computed
  readonly stored_in: Attribute['stored_in']
}

/** Checks a definition, also against the type of its attribute. See docs/reference/objects-and-attributes.md (Computed attributes). */
export async function parseComputed(
  { tx, model }: ModelChange,
  entityType: EntityType,
  input: ComputedInput,
  { type, is_multiselect }: Shape,
): Promise<Definition> {
  const kind = kindOf(input)
  if (input.formula === undefined) {
    const { computed, types, isMultiselect } = parseRelated(model, entityType, input, ['data', 'computed'])
    if (!types.includes(type)) throw wrongType(types, kind)
    if (is_multiselect === isMultiselect) return { computed, stored_in: 'worker' }
    throw invalidBody([issue('is_multiselect', `Must be ${isMultiselect}, as that of the attribute which it shows`)])
  }
  const { parsed, types } = await refusedAsBody(checkFormula(tx, model, entityType, input.formula))
  if (!types.includes(type)) throw wrongType(types, kind)
  // Refuses a formula that is slow.
  await refusedAsBody(sampleFormula(tx, model, entityType, { parsed, type }))
  const isStored = !readsClock(parsed)
  if (input.tracked === true && !isStored) throw trackedIssue('A formula that reads the clock has no history')
  if (input.tracked === true && (await hasCitus(tx)))
    throw trackedIssue('Must be false in a database that Citus distributes')
  return { computed: { formula: partsOf(parsed) }, stored_in: isStored ? 'formula' : 'function' }
}

/** Checks a look-up or rollup. `path` is that of the definition in the body. */
function parseRelated(
  model: DataModel,
  entityType: EntityType,
  { lookup, rollup }: ComputedInput,
  path: readonly string[],
) {
  try {
    if (lookup !== undefined) {
      const { definition, ...checked } = parseLookup(model, entityType, lookup)
      return { computed: { lookup: definition }, ...checked }
    }
    if (rollup === undefined) throw new Error('A definition has one of its members.')
    const { definition, ...checked } = parseRollup(model, entityType, rollup)
    return { computed: { rollup: definition }, ...checked }
  } catch (error) {
    if (!(error instanceof InvalidDefinition)) throw error
    throw invalidBody([{ code: 'invalid', path: [...path, ...error.path], message: error.message }])
  }
}

const trackedIssue = (message: string) =>
  invalidBody([{ code: 'invalid', path: ['data', 'computed', 'tracked'], message }])

const wrongType = (types: readonly TypeName[], kind: string) =>
  invalidBody([issue('type', `The ${kind} has a value of type ${types.join(' or ')}`)])

/** The types that an attribute with the definition may have, and the values of the newest records or entries. Nothing is stored. */
export const previewComputed = async (
  { db, model }: RequestContext,
  entityType: EntityType,
  { type, ...input }: ComputedInput & { readonly type?: TypeName },
): Promise<ComputedPreview> =>
  (await db.sql.begin(async (tx) => {
    const kind = kindOf(input)
    const wantedOf = (types: readonly TypeName[]): TypeName => {
      const wanted = type ?? types[0]
      if (wanted === undefined || !types.includes(wanted)) throw wrongType(types, kind)
      return wanted
    }
    if (input.formula === undefined) {
      const { computed, types, isMultiselect } = parseRelated(model, entityType, input, ['data'])
      const wanted = wantedOf(types)
      const sample = await sampleRollup(tx, model, entityType, { computed, type: wanted })
      return { types: [...types], is_multiselect: isMultiselect, is_stored: true, sample }
    }
    const { parsed, types } = await refusedAsBody(checkFormula(tx, model, entityType, input.formula), [
      'data',
      'formula',
    ])
    const sample = sampleFormula(tx, model, entityType, { parsed, type: wantedOf(types) })
    return {
      types: [...types],
      is_multiselect: false,
      is_stored: !readsClock(parsed),
      sample: await refusedAsBody(sample, ['data', 'formula']),
    }
  })) as ComputedPreview // the driver's type for the callback's result is wider

/** The same for a change of the definition, which other computed attributes may name. */
export async function changeComputed(
  step: ModelChange,
  entityType: EntityType,
  attribute: Attribute,
  input: ComputedInput,
): Promise<Computed> {
  const { computed, stored_in } = await parseComputed(step, entityType, input, attribute)
  if (stored_in !== attribute.stored_in)
    throw formulaError(new SqlRefused(OTHER_STORAGE[stored_in === 'function' ? 'stored' : 'computed']))
  const cycle = findCycle(wholeModel(step.model), attribute, computed)
  if (cycle === undefined) return computed
  const kind = kindOf(input)
  throw invalidBody([
    {
      code: 'invalid',
      path: ['data', 'computed', kind],
      message: `The ${kind} depends on itself: ${cycle.join(' → ')}`,
    },
  ])
}

/** Computes the attribute of which the definition is new. */
export const applyComputed = (step: ModelChange, { id, entity_type_id, stored_in }: Attribute, now: Clock) =>
  stored_in === 'worker'
    ? applyRollup(step, id, now)
    : applyFormulas(step, entity_type_id, now, stored_in === 'formula')

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

/** Computes anew what shows titles of options, after the options of the attribute changed: formulas, and lists of titles. */
export async function refreshNamingFormulas(step: ModelChange, attribute: Attribute, now: Clock): Promise<void> {
  const naming = namingAttribute(wholeModel(step.model), attribute)
  const formulas = naming.filter(({ computed }) => computed?.formula != null)
  for (const [entityTypeId, ofType] of Map.groupBy(formulas, ({ entity_type_id }) => entity_type_id)) {
    const isStoredChanged = ofType.some(({ stored_in }) => stored_in === 'formula')
    await applyFormulas(step, entityTypeId, now, isStoredChanged)
  }
  for (const each of naming) {
    if (each.computed?.rollup?.function === 'list') await applyRollup(step, each.id, now)
    // A look-up has the same options.
    if (each.computed?.lookup?.attribute === attribute.id) await refreshNamingFormulas(step, each, now)
  }
}
