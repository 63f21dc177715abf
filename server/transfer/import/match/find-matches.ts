/** Finds the records that the rows of a batch match. */

import { getObject } from '#engine/data-model/find'
import { columnName } from '#engine/attribute-types/definition/columns'
import { findByKeys, findByTexts } from '#engine/storage/statements/read-many-records'
import { nameMember, type Identification, type IdentifiedRow } from './identify'
import type { BackgroundContext } from '#engine/entities/write/background-context'

export interface MatchOptions {
  readonly importContext: BackgroundContext
  readonly objectId: string
  readonly identification: Identification
}

/** The ids of the records that each row matches. Several ids mean that the match is ambiguous. */
export async function findMatches(
  { importContext, objectId, identification }: MatchOptions,
  rows: readonly IdentifiedRow[],
): Promise<string[][]> {
  const { model, db } = importContext.context()
  const { match, fallback } = identification
  const byKey = match
    ? await findByKeys(
        db.sql,
        model,
        match,
        rows.flatMap(({ keys }) => keys),
      )
    : new Map<string, string>()
  const names = rows.flatMap(({ keys, name }) => (keys.length === 0 && name !== undefined ? [name] : []))
  const byName = fallback
    ? await findByTexts(db.sql, getObject(model, objectId), columnName(fallback, nameMember(fallback)), [
        ...new Set(names),
      ])
    : new Map<string, string[]>()
  return rows.map(({ keys, name }) => {
    if (keys.length === 0) return byName.get(name ?? '') ?? []
    const ids = keys.flatMap((key) => byKey.get(key) ?? [])
    return ids.length > 1 ? [...new Set(ids)] : ids
  })
}
