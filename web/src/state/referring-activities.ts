/** Activities whose records can refer to records of an object, such as phone calls for people. */

import type { Activity } from '../api/data-model/activities'
import type { Attribute } from '../api/data-model/attributes'
import { attributesOf } from './attributes.svelte'
import { getDataModel, referencedTypes, type WorkspaceObject } from './data-model.svelte'

export interface ReferringActivity {
  readonly activity: Activity
  /** The slugs of the attributes that can refer to the object, in display order. */
  readonly slugs: readonly string[]
}

/** The search of a record page that opens the tab of an activity, and the form of a new record of it. */
export const loggingSearch = ({ api_slug }: Activity) => ({ tab: activityTabId(api_slug), log: api_slug })

export const activityTabId = (slug: string): string => `activities-${slug}`

/** Activities whose attributes are loading are left out. */
export function activitiesReferringTo(objectSlug: string): readonly ReferringActivity[] {
  const { objects = [], activities = [] } = getDataModel().data ?? {}
  const object = objects.filter(({ api_slug }) => api_slug === objectSlug)
  return activities.flatMap((activity) => {
    const attributes = attributesOf({ kind: 'activities', slug: activity.api_slug })?.data ?? []
    const slugs = attributes.filter((one) => mayReferTo(object, one)).map(({ api_slug }) => api_slug)
    return slugs.length === 0 ? [] : [{ activity, slugs }]
  })
}

const mayReferTo = (object: readonly WorkspaceObject[], attribute: Attribute): boolean =>
  attribute.type === 'record-reference' && !attribute.is_archived && referencedTypes(attribute, object).length > 0
