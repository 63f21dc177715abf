/** Checks that every record of a write is complete, whether the write was acknowledged or not. */

import type { Reader } from '../service/database'
import { readWorkspace } from './workspace-tables'

/** `torn` names the incomplete records of `alpha`. `parts` are not checked: other writes may have taken them. */
export async function findWholeRecords(reader: Reader): Promise<{ ids: string[]; torn: string[] }> {
  const { entityTypes } = await readWorkspace(reader)
  const alpha = entityTypes.find(({ api_slug }) => api_slug === 'alpha')
  if (!alpha) throw new Error('There is no object alpha.')
  const expected = { code: 1, name: 1, emails: 3, group: 1, friends: 1 }
  const torn = alpha.entities.filter(({ values }) =>
    Object.entries(expected).some(([slug, count]) => {
      const attribute = alpha.attributes.find(({ api_slug }) => api_slug === slug)
      return values.get(attribute?.number ?? -1)?.length !== count
    }),
  )
  return { ids: alpha.entities.map(({ id }) => id), torn: torn.map(({ id }) => id) }
}
