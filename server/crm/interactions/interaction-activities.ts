/** The activities whose records count in interaction attributes. See docs/reference/emails.md (Interaction attributes). */

import type { Sql, Transaction } from '#db/connect'
import { contactTypesOf } from '#crm/contacts/contact-types'
import { attributeType } from '#engine/attribute-types/registry'
import { activityTypes, findAttribute } from '#engine/data-model/find'
import type { ActivityType, Attribute, DataModel } from '#engine/data-model/model'
import { type InteractionActivity, readInteractionTargets } from '#engine/storage/statements/interaction-statements'
import { readRecords } from '#engine/storage/statements/read-many-records'
import { INTERACTION_TYPE_OPTIONS, interactionTypeOf } from '#engine/workspaces/activity-schemas'
import type { QueuedRecord } from './refresh-queue'

export const interactionActivities = (model: DataModel): InteractionActivity[] =>
  activityTypes(model).flatMap((activity) => interactionActivityOf(activity) ?? [])

/** Undefined for an activity whose records are no interactions. */
function interactionActivityOf(activity: ActivityType): InteractionActivity | undefined {
  const interactionType = interactionTypeOf(activity.schema_slug)
  const [timestamp, owner] = [findAttribute(activity, 'timestamp'), findAttribute(activity, 'owner')]
  if (interactionType === undefined || timestamp === undefined || owner === undefined) return undefined
  const refersToRecords = ({ type }: Attribute) => attributeType(type).refersToRecords === true
  const references = activity.attributes.filter((each) => refersToRecords(each) && !each.is_archived)
  const kind = findAttribute(activity, 'interaction_type')
  const types = new Map(
    kind?.options.map(({ number, title }) => [number, INTERACTION_TYPE_OPTIONS[title] ?? interactionType]),
  )
  const typeOf = (option: number | null) => types.get(option ?? 0) ?? interactionType
  return { activity, timestamp, owner, references, ...(kind?.is_system_attribute === true && { kind }), typeOf }
}

/** The people and companies to which the records of an activity refer or referred, and the companies of these people. */
export async function findContactsOf(
  db: Sql | Transaction,
  model: DataModel,
  interaction: InteractionActivity,
  ids: readonly string[],
): Promise<QueuedRecord[]> {
  const types = contactTypesOf(model)
  if (types === undefined) return []
  const targets = await readInteractionTargets(db, model, interaction, ids)
  const records = [types.people, types.companies].flatMap(({ id: objectId, number }) =>
    targets.filter(({ object }) => object === number).map(({ id: recordId }) => ({ objectId, recordId })),
  )
  return withCompanies(db, model, records)
}

/** The same for records of any activity. */
export async function findContactsOfAll(
  db: Sql | Transaction,
  model: DataModel,
  ids: readonly string[],
): Promise<QueuedRecord[]> {
  const found: QueuedRecord[] = []
  for (const interaction of interactionActivities(model))
    found.push(...(await findContactsOf(db, model, interaction, ids)))
  return found
}

/** Adds the companies of people, whose interactions are those of their people. */
export async function withCompanies(
  db: Sql | Transaction,
  model: DataModel,
  records: readonly QueuedRecord[],
): Promise<QueuedRecord[]> {
  const types = contactTypesOf(model)
  if (types === undefined) return [...records]
  const { people, company, companies } = types
  const ids = records.filter(({ objectId }) => objectId === people.id).map(({ recordId }) => recordId)
  const persons = await readRecords(db, model, people, [company], [...new Set(ids)])
  const found = [...persons.values()].flatMap((person) => person.valuesOf(company))
  return [
    ...records,
    ...found.map(({ stored }) => ({ objectId: companies.id, recordId: String(stored.target_record_id) })),
  ]
}
