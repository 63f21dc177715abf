/**
 * Checks through the API that the two sides of every relationship agree.
 * See docs/reference/values.md (Relationships).
 */

import type { Request } from '../http/client'

interface Side {
  readonly object: string
  readonly slug: string
  readonly isMultiselect: boolean
  readonly partner: { readonly object: string; readonly slug: string }
}

/** All differences between the sides of the relationships. */
export async function checkRelationships(
  request: Request,
  records: Readonly<Record<string, readonly string[]>>,
): Promise<string[]> {
  const sides = (await Promise.all(Object.keys(records).map((object) => sidesOf(request, object)))).flat()
  const values = new Map<string, Readonly<Record<string, readonly { target_record_id: string }[]>>>()
  for (const [object, ids] of Object.entries(records)) {
    for (const id of ids) values.set(id, (await request('GET', `/v2/objects/${object}/records/${id}`)).body.data.values)
  }
  const targets = (id: string, slug: string) =>
    (values.get(id)?.[slug] ?? []).map(({ target_record_id }) => target_record_id)
  return sides.flatMap(({ object, slug, partner, isMultiselect }) =>
    (records[object] ?? []).flatMap((id) => {
      const found = targets(id, slug)
      const silent = found.filter((target) => !targets(target, partner.slug).includes(id))
      const problems = silent.map(
        (target) => `${slug} of ${id} names ${target}, whose ${partner.slug} does not name it`,
      )
      if (!isMultiselect && found.length > 1) problems.push(`${slug} of ${id} names several records`)
      if (new Set(found).size < found.length) problems.push(`${slug} of ${id} names a record twice`)
      return problems
    }),
  )
}

async function sidesOf(request: Request, object: string): Promise<Side[]> {
  const { body } = await request('GET', `/v2/objects/${object}/attributes`)
  return body.data.flatMap((attribute: WireAttribute) => {
    const { api_slug, is_multiselect, relationship } = attribute
    if (!relationship) return []
    const partner = { object: relationship.object_slug, slug: relationship.api_slug }
    return [{ object, slug: api_slug, isMultiselect: is_multiselect, partner }]
  })
}

interface WireAttribute {
  readonly api_slug: string
  readonly is_multiselect: boolean
  readonly relationship: { readonly object_slug: string; readonly api_slug: string } | null
}
