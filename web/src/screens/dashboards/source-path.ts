/** The object or list of a chart. */

import type { EntityTypePath } from '../../api/data-model/attributes'
import type { Chart } from '../../api/data-model/dashboards'

interface KnownTypes {
  readonly objects: readonly { readonly id: { readonly object_id: string }; readonly api_slug: string | null }[]
  readonly lists: readonly { readonly id: { readonly list_id: string }; readonly api_slug: string }[]
}

/** The object or list of a chart; undefined for a saved query, and for what was deleted since. */
export function sourcePath(
  { source }: Pick<Chart, 'source'>,
  { objects, lists }: KnownTypes,
): EntityTypePath | undefined {
  if ('object' in source) {
    const slug = objects.find(({ id }) => id.object_id === source.object)?.api_slug
    return slug ? { kind: 'objects', slug } : undefined
  }
  if (!('list' in source)) return undefined
  const slug = lists.find(({ id }) => id.list_id === source.list)?.api_slug
  return slug === undefined ? undefined : { kind: 'lists', slug }
}
