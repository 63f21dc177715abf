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
  const rows = await sql<{ scopes: Scope[] }[]>`
    select scopes from relata.tokens
    where workspace_id = ${workspaceId} and client_id = ${clientId} and grant_id is null and revoked_at is null
    union all
    select scopes from relata.grants
    where app_id = ${clientId} and workspace_id = ${workspaceId} and workspace_member_id = ${memberId} and revoked_at is null`
  return rows.length === 0 ? undefined : new Set(rows.flatMap(({ scopes }) => scopes))
}
