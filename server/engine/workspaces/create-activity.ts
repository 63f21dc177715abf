/** Creates activities with the attributes of their schema. Every workspace has the system activities. */

import type { Database } from '#db/connect'
import { newId } from '#base/ids'
import { type Clock, timestampFromMicros } from '#base/timing/clock'
import {
  allocateNumbers,
  blockEntityWrites,
  changeWorkspaceModel,
  type ModelChange,
} from '#engine/data-model/change-model'
import { activityTypes, findRecordType } from '#engine/data-model/find'
import type { ActivityType, Attribute, DataModel, ObjectType } from '#engine/data-model/model'
import { qualifiedTableName } from '#engine/data-model/names'
import { attributesOfSchema, SYSTEM_ACTIVITIES } from './activity-schemas'
import { buildAttribute, type StandardAttribute, standardAttribute } from './build-attribute'
import { insertActivityType, insertAttributes, insertTargetOf } from './write-entity-types'
import { CREATION_ATTRIBUTES, RECORD_ID_ATTRIBUTE } from './standard-objects'

type NewActivity = Pick<ActivityType, 'api_slug' | 'singular_noun' | 'plural_noun' | 'schema_slug' | 'system_slug'>

export async function insertActivity(step: ModelChange, input: NewActivity, created_at: string): Promise<ActivityType> {
  const activity = await newActivity(step, input, created_at)
  await insertActivityType(insertTargetOf(step), activity)
  return activity
}

async function newActivity({ tx, model }: ModelChange, input: NewActivity, created_at: string): Promise<ActivityType> {
  const specs: readonly StandardAttribute[] = [
    RECORD_ID_ATTRIBUTE,
    ...attributesOfSchema(input.schema_slug),
    ...CREATION_ATTRIBUTES,
  ]
  const options = specs.flatMap(({ option_titles = [] }) => option_titles)
  let number = await allocateNumbers(tx, model.workspace.id, 1 + specs.length + options.length)
  const next = () => number++
  const id = newId()
  const entity = { kind: 'activity', number: next() } as const
  const objectIds = new Map(standardObjects(model).map(({ standard_slug, id: objectId }) => [standard_slug, objectId]))
  return {
    ...input,
    ...entity,
    id,
    created_at,
    table: qualifiedTableName(model.workspace.number, entity),
    attributes: specs.map((spec) =>
      standardAttribute(spec, { entity_type_id: id, number: next(), created_at }, next, objectIds),
    ),
  }
}

const standardObjects = ({ entityTypes }: DataModel) =>
  entityTypes.filter((each): each is ObjectType => each.kind === 'object' && each.standard_slug !== null)

/** Creates the system activities that the workspace lacks, with the other sides of their references. */
export async function insertSystemActivities(step: ModelChange, created_at: string): Promise<void> {
  const existing = new Set(activityTypes(step.model).map(({ system_slug }) => system_slug))
  for (const { mirrored_by, api_slug: system_slug, ...names } of SYSTEM_ACTIVITIES) {
    if (existing.has(system_slug)) continue
    const api_slug = freeSlug(system_slug, (slug) => findRecordType(step.model, slug) !== undefined)
    const activity = await newActivity(step, { ...names, api_slug, system_slug }, created_at)
    const sides = activity.attributes.map((attribute) => ({
      attribute,
      mirror: mirrored_by[attribute.api_slug],
      object: standardObjects(step.model).find(({ standard_slug }) => standard_slug === attribute.api_slug),
    }))
    const mirrors = new Map<Attribute, { readonly object: ObjectType; readonly attribute: Attribute }>()
    for (const { attribute, mirror, object } of sides) {
      if (mirror === undefined || object === undefined) continue
      const number = await allocateNumbers(step.tx, step.model.workspace.id, 1)
      mirrors.set(attribute, { object, attribute: mirrorOf(attribute, activity, object, { ...mirror, number }) })
    }
    const attributes = activity.attributes.map((attribute) => {
      const partner = mirrors.get(attribute)?.attribute
      return partner === undefined ? attribute : { ...attribute, relationship_attribute_id: partner.id }
    })
    await insertActivityType(insertTargetOf(step), { ...activity, attributes, isUnused: true })
    for (const { object, attribute } of mirrors.values()) {
      await blockEntityWrites(step.tx, object)
      await insertAttributes(insertTargetOf(step), object, [attribute])
    }
  }
}

/** The other side of a reference, which the activity stores. */
const mirrorOf = (
  { id }: Attribute,
  activity: ActivityType,
  object: ObjectType,
  { title, api_slug, number }: { readonly title: string; readonly api_slug: string; readonly number: number },
): Attribute =>
  buildAttribute(
    {
      title,
      api_slug: freeSlug(api_slug, (slug) => object.attributes.some((attribute) => attribute.api_slug === slug)),
      type: 'record-reference',
      is_system_attribute: true,
      is_multiselect: true,
      config: { record_reference: { allowed_object_ids: [activity.id] } },
      stored_in: 'partner',
      relationship_attribute_id: id,
    },
    { entity_type_id: object.id, number, created_at: activity.created_at },
  )

/** A workspace may have given the slug to something of its own before. */
function freeSlug(slug: string, isTaken: (slug: string) => boolean): string {
  let [free, count] = [slug, 1]
  while (isTaken(free)) free = `${slug}_${++count}`
  return free
}

/** Creates the system activities of workspaces that an earlier version created. */
export async function createMissingActivities(db: Database, now: Clock): Promise<void> {
  const slugs = SYSTEM_ACTIVITIES.map(({ api_slug }) => api_slug)
  const lacking = await db.control
    .selectFrom('relata.workspaces as w')
    .select('w.id')
    .where(({ eb, selectFrom }) =>
      eb(
        selectFrom('relata.activities as a')
          .select(({ fn }) => fn.countAll().as('count'))
          .whereRef('a.workspace_id', '=', 'w.id')
          .where('a.system_slug', 'in', slugs),
        '<',
        String(slugs.length),
      ),
    )
    .execute()
  for (const { id } of lacking)
    await changeWorkspaceModel(db, id, (step) => insertSystemActivities(step, timestampFromMicros(now())))
}
