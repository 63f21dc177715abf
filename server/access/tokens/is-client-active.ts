import type { Database } from '../../../db/connect'

interface Client {
  readonly workspaceId: string
  readonly clientId: string
  /** The member who authorised it. */
  readonly memberId: string
}

/** Whether an API key, or the grant of an app by a member, is not revoked. */
export async function isClientActive(
  { sql }: Pick<Database, 'sql'>,
  { workspaceId, clientId, memberId }: Client,
): Promise<boolean> {
  const [row] = await sql<[{ is_active: boolean }]>`
    select exists (
        select from relata.tokens
        where workspace_id = ${workspaceId} and client_id = ${clientId} and grant_id is null and revoked_at is null
      ) or exists (
        select from relata.grants
        where app_id = ${clientId} and workspace_id = ${workspaceId} and workspace_member_id = ${memberId}
          and revoked_at is null
      ) as is_active`
  return row.is_active
}
