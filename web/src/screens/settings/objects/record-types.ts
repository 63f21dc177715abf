/** What the settings say of objects and activities. */

import type { RecordTypePath } from '../../../api/data-model/attributes'
import { isStandardObject } from '../../../api/data-model/standard-names'
import type { RecordType } from '../../../state/data-model.svelte'

interface Words {
  readonly title: string
  readonly description: string
  readonly noun: 'object' | 'activity'
  readonly create: string
  /** Why the slug of some of them is fixed. */
  readonly fixedSlug: string
  /** Examples in the form of a new one. */
  readonly plural: string
  readonly singular: string
  readonly slug: string
  /** Why one may be missing. */
  readonly missing: string
  /** What a deletion for good deletes with it. */
  readonly parts: string
}

export const WORDS: Readonly<Record<RecordTypePath['kind'], Words>> = {
  objects: {
    title: 'Objects',
    description: 'Record types and their attributes',
    noun: 'object',
    create: 'New object',
    fixedSlug: "Can't be changed for standard objects",
    plural: 'Projects',
    singular: 'Project',
    slug: 'projects',
    missing: 'It may have been renamed, or deleted. Deleted objects can be restored for some days.',
    parts: 'values, history, notes, files, comments and list entries',
  },
  activities: {
    title: 'Activities',
    description: 'Things that happen with people and companies, such as phone calls',
    noun: 'activity',
    create: 'New activity',
    fixedSlug: "Can't be changed for system activities",
    plural: 'Site visits',
    singular: 'Site visit',
    slug: 'site_visits',
    missing: 'It may have been renamed, or deleted. Deleted activities can be restored for some days.',
    parts: 'values and history',
  },
}

/** Whether it is a standard object or a system activity, whose slug is fixed and which cannot be deleted. */
export const isStandard = (type: RecordType): boolean =>
  'extends' in type ? type.is_system_activity : isStandardObject(type.api_slug)
