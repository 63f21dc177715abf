/** Creates the status attribute of a list that starts from a template. */

import { createAttribute } from './attributes'
import { api } from '../client'

export interface Stage {
  readonly title: string
  readonly color: 'indigo' | 'green' | 'orange' | 'pink' | 'blue' | 'purple' | 'gray'
  readonly celebration_enabled?: boolean
}

/** Creates the attribute and its stages, in their order. */
export async function createStages(
  list: string,
  { title, slug, stages }: { readonly title: string; readonly slug: string; readonly stages: readonly Stage[] },
): Promise<void> {
  await createAttribute(
    { kind: 'lists', slug: list },
    {
      title,
      api_slug: slug,
      type: 'status',
      description: null,
      is_required: false,
      is_unique: false,
      is_multiselect: false,
      config: {},
    },
  )
  const path = `/lists/${encodeURIComponent(list)}/attributes/${slug}/statuses`
  for (const data of stages) await api.post(path, { body: { data } })
}
