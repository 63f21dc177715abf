/** An app gives back a token. RFC 7009; see docs/reference/access-and-oauth.md (Revocation). */

import type { Database } from '../../../db/connect'
import { hashSecret } from '../../access/secrets'
import type { App } from '../apps/apps'
import { revokeGrant } from './revoke-grant'
import { findRefreshToken } from './tokens'

/**
 * Ends the whole grant, whichever of its tokens is given back: what is left would be good for nothing the app still wants.
 * Unknown tokens and those of other apps are left alone, without a word. Decision 0045.
 */
export async function revokePresentedToken(
  db: Database,
  app: App,
  token: string,
  { address, now }: { readonly address: string | null; readonly now: number },
): Promise<void> {
  const owner = (await findAccessTokenGrant(db, token)) ?? (await findRefreshToken(db.sql, token))
  if (owner?.appId !== app.id) return
  const revocation = { actor: { type: 'app', id: app.id }, reason: 'revoked by the app', address, now } as const
  await db.sql.begin((tx) => revokeGrant(tx, owner.workspaceId, owner.grantId, revocation))
}

interface TokenGrant {
  readonly workspaceId: string
  readonly grantId: string
  readonly appId: string
}

async function findAccessTokenGrant({ sql }: Database, token: string): Promise<TokenGrant | undefined> {
  const [row] = await sql<[{ workspace_id: string; grant_id: string; client_id: string }?]>`
    select workspace_id, grant_id, client_id from relata.tokens
    where token_hash = decode(${hashSecret(token)}, 'hex') and grant_id is not null`
  return row && { workspaceId: row.workspace_id, grantId: row.grant_id, appId: row.client_id }
}
