/** The page of a record in the console. See docs/reference/records.md (The form of a record). */

import type { DataModel, ObjectType } from './model'

const SEGMENTS: Readonly<Record<string, string>> = { people: 'person', companies: 'company', deals: 'deals/record' }

export const recordUrl = (appUrl: string, { workspace }: DataModel, object: ObjectType, recordId: string): string =>
  `${appUrl}/${workspace.slug}/${SEGMENTS[object.standard_slug ?? ''] ?? `${object.api_slug}/record`}/${recordId}`
