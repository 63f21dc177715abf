import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { Database } from '#db/connect'
import type { Scope } from '#vocabulary/scopes'

interface Client {
  readonly workspaceId: string
  readonly clientId: string
  /** The member who authorised it. */
  readonly memberId: string
}

/** The present scopes of an API key, or those that the member grants an app. Undefined when they are revoked. */
export async function findClientScopes(
  { sql }: Pick<Database, 'sql'>,
  { workspaceId, clientId, memberId }: Client,
): Promise<ReadonlySet<Scope> | undefined> {
  const rows = await controlQueriesIn(sql)
    .selectFrom('relata.tokens')
    .select('scopes')
    .where('workspace_id', '=', workspaceId)
    .where('client_id', '=', clientId)
    .where('grant_id', 'is', null)
    .where('revoked_at', 'is', null)
    .unionAll((query) =>
      query
        .selectFrom('relata.grants')
        .select('scopes')
        .where('app_id', '=', clientId)
        .where('workspace_id', '=', workspaceId)
        .where('workspace_member_id', '=', memberId)
        .where('revoked_at', 'is', null),
    )
    .$castTo<{ scopes: Scope[] }>()
    .execute()
  return rows.length === 0 ? undefined : new Set(rows.flatMap(({ scopes }) => scopes))
}
