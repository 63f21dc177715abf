/** Activities whose records can refer to records of an object, such as phone calls for people. */

import type { Activity } from '../api/data-model/activities'
import type { Attribute } from '../api/data-model/attributes'
import { attributesOf } from './attributes.svelte'
import { getDataModel } from './data-model.svelte'

export interface ReferringActivity {
  readonly activity: Activity
  /** The slugs of the attributes that can refer to the object, in display order. */
  readonly slugs: readonly string[]
}

/** Activities whose attributes are loading are left out. */
export function activitiesReferringTo(objectSlug: string): readonly ReferringActivity[] {
  const { objects = [], activities = [] } = getDataModel().data ?? {}
  const objectId = objects.find(({ api_slug }) => api_slug === objectSlug)?.id.object_id
  if (objectId === undefined) return []
  return activities.flatMap((activity) => {
    const attributes = attributesOf({ kind: 'activities', slug: activity.api_slug })?.data ?? []
    const slugs = attributes.filter((one) => mayReferTo(objectId, one)).map(({ api_slug }) => api_slug)
    return slugs.length === 0 ? [] : [{ activity, slugs }]
  })
}

function mayReferTo(objectId: string, { type, is_archived, config }: Attribute): boolean {
  if (type !== 'record-reference' || is_archived) return false
  const allowed = config.record_reference.allowed_object_ids
  return allowed === null || allowed.includes(objectId)
}
