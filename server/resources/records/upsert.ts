import { attributeType } from '../../attribute-types/registry'
import type { Call } from '../../call'
import { closest, findAttribute, getObject, visibleAttributes } from '../../data-model/find'
import type { Attribute, DataModel, ObjectOwner } from '../../data-model/model'
import {
  matchingAttributeNotUnique,
  missingParameter,
  missingValue,
  multipleMatches,
  unknownMatchingAttribute,
} from '../../errors'
import { attempt } from '../../values/attempt'
import type { Row } from '../../values/layout'
import { recordLookup } from '../../values/lookup'
import { type Assignment, parseValues } from '../../values/parse'
import { resolveAssignments } from '../../values/resolve'
import { writeHolder } from '../../values/update-holder'
import { KeysTaken, Outdated } from '../../values/write-holder'
import { type AnsweredRecord, answerRecord } from './answer'
import { insertRecord } from './create'

export interface Upsert {
  readonly matchingAttribute: string | undefined
  readonly values: Record<string, unknown>
  /** Used only when the record is created; what `values` names wins. */
  readonly valuesOnCreate: Record<string, unknown>
}

/**
 * Updates the record that has one of the payload's values of the matching attribute, or creates it. The matching
 * attribute gains values, every other multiselect becomes what is sent. Two of these at once end on the same record.
 * Throws 400 for the parameter and for values that belong to two records. Spec: values 4.
 */
export const upsertRecord = (call: Call, object: string, upsert: Upsert): Promise<AnsweredRecord> =>
  attempt(call, async (call, locking) => {
    const { model } = call
    const owner = getObject(model, object)
    const matching = getMatchingAttribute(model, owner, upsert.matchingAttribute)
    const id = await findMatch(call, owner, matching, upsert.values)
    if (id === undefined) {
      return answerRecord(call, owner, await insertUnlessMatched(call, object, matching, upsert))
    }
    const row = await writeHolder({ call, owner, id, locking }, async (db) => {
      const parsed = parseValues(model, owner, upsert.values, { member: 'values', appends: false })
      const assignments = await resolveAssignments(model, parsed, recordLookup(db, model))
      return { assignments, modeOf: ({ attribute }) => (attribute === matching ? 'append' : 'overwrite') }
    })
    // Gone between the look-up and the write: the next attempt creates it.
    if (!row) throw new Outdated()
    return answerRecord(call, owner, row)
  })

function getMatchingAttribute(model: DataModel, owner: ObjectOwner, slugOrId: string | undefined): Attribute {
  if (slugOrId === undefined || slugOrId === '') throw missingParameter('matching_attribute')
  const visible = visibleAttributes(model, owner)
  const attribute = findAttribute(owner, slugOrId)
  if (!attribute || !visible.includes(attribute)) {
    throw unknownMatchingAttribute(
      slugOrId,
      closest(
        slugOrId,
        visible.map(({ api_slug }) => api_slug),
      ),
    )
  }
  const isMatchable =
    attribute.is_unique && attribute.stored_in === 'columns' && attributeType(attribute.type).allows.match
  if (!isMatchable) throw matchingAttributeNotUnique(attribute.api_slug)
  return attribute
}

/** The one record that has any of the payload's values of the matching attribute. */
async function findMatch(
  call: Call,
  owner: ObjectOwner,
  matching: Attribute,
  values: Record<string, unknown>,
): Promise<string | undefined> {
  const lookup = recordLookup(call.db.sql, call.model)
  const parsed = parseValues(call.model, owner, values, { member: 'values', appends: false })
  const [assignment] = await resolveAssignments(
    call.model,
    parsed.filter(({ attribute }) => attribute === matching),
    lookup,
  )
  if (!assignment || assignment.values.length === 0) throw missingValue(matching.id)
  const found = new Set<string>()
  for (const key of keysOf(assignment)) {
    const id = await lookup.findRecordByKey(owner, matching, key)
    if (id !== undefined) found.add(id)
  }
  if (found.size > 1) {
    throw multipleMatches(
      `Multiple records match the values of attribute "${matching.api_slug}": ${[...found].join(', ')}.`,
    )
  }
  return found.values().next().value
}

const keysOf = ({ attribute, values }: Assignment): string[] => values.map(attributeType(attribute.type).key)

/** Creates the record; when another writer created one that matches in the meantime, the next attempt finds that. */
async function insertUnlessMatched(call: Call, object: string, matching: Attribute, upsert: Upsert): Promise<Row> {
  const owner = getObject(call.model, object)
  try {
    return await insertRecord(call, object, { ...namedOnce(owner, upsert), ...upsert.values })
  } catch (error) {
    const isMatched = error instanceof KeysTaken && (await findMatch(call, owner, matching, upsert.values)) !== undefined
    throw isMatched ? new Outdated() : error
  }
}

/** The create-only values without those that `values` names as well, be it once by slug and once by id. */
function namedOnce(owner: ObjectOwner, { values, valuesOnCreate }: Upsert): Record<string, unknown> {
  const named = new Set(Object.keys(values).map((key) => findAttribute(owner, key)))
  return Object.fromEntries(
    Object.entries(valuesOnCreate).filter(([key]) => {
      const attribute = findAttribute(owner, key)
      return attribute === undefined || !named.has(attribute)
    }),
  )
}
