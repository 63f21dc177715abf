/**
 * Replaces the hash indexes that earlier versions built for equal texts by B-trees over the hashes. An update looks for room
 * through all pages of a hash index that have the same text. Decision 0138.
 */

import { changeWorkspaceModel } from '#engine/data-model/change-model'
import { type IndexBuildContext, dropIndex } from './build-index'
import { REQUIRED_REQUESTS } from './build-rule'

/** Requests the replacements that are missing, and drops the hash indexes that queries no longer need. */
export async function replaceHashIndexes(building: IndexBuildContext): Promise<void> {
  const { db, sql } = building
  if ((await findHashIndexes(building)).length === 0) return
  await requestReplacements(building)
  for (const { workspaceId, schema, name, isNeeded } of await findHashIndexes(building)) {
    if (isNeeded) continue
    await dropIndex(sql, { schema, name })
    await changeWorkspaceModel(
      db,
      workspaceId,
      ({ tx }) => tx`delete from relata.indexes where workspace_id = ${workspaceId} and name = ${name}`,
    )
  }
}

interface HashIndex {
  readonly workspaceId: string
  readonly schema: string
  readonly name: string
  /** Whether queries use it until its replacement is ready. */
  readonly isNeeded: boolean
}

const findHashIndexes = ({ db }: IndexBuildContext): Promise<readonly HashIndex[]> => db.sql<HashIndex[]>`
  select i.workspace_id as "workspaceId", format('"w_%s"', w.number) as schema, i.name,
    i.state = 'ready' and coalesce(replacement.state not in ('ready', 'refused'), true) as "isNeeded"
  from relata.indexes i join relata.workspaces w on w.id = i.workspace_id
  left join relata.indexes replacement on replacement.workspace_id = i.workspace_id
    and replacement.name = regexp_replace(i.name, '_exact$', '_hashed')
  where i.kind = 'exact' and i.definition like 'using hash%' order by i.workspace_id, i.name`

/** The names and definitions are those of `describePropertyIndex`. */
const requestReplacements = ({ db }: IndexBuildContext) => db.sql`
  insert into relata.indexes as i (workspace_id, entity_type_id, attribute_id, name, kind, definition, state, is_pinned,
    requests, requested_by, first_requested_at, last_requested_at)
  select workspace_id, entity_type_id, attribute_id, regexp_replace(name, '_exact$', '_hashed'), kind,
    regexp_replace(definition, '^using hash \\(\\((.*)\\)\\)$', 'using btree ((hashtextextended(\\1, 0)))'),
    case state when 'refused' then state else 'wanted' end, is_pinned,
    case state when 'ready' then greatest(requests, ${REQUIRED_REQUESTS}::int) else requests end, requested_by,
    first_requested_at, last_requested_at
  from relata.indexes where kind = 'exact' and definition like 'using hash%'
  on conflict (workspace_id, name) do update set is_pinned = i.is_pinned or excluded.is_pinned,
    requests = greatest(i.requests, excluded.requests)
  where (i.is_pinned, i.requests) is distinct from (i.is_pinned or excluded.is_pinned, greatest(i.requests, excluded.requests))`
