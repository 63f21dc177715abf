/** Revokes a token at the request of its app. RFC 7009; see docs/reference/access-and-oauth.md (Revocation). */

import type { Database } from '#db/connect'
import { hashColumn } from '#access/secrets'
import type { App } from '#access/oauth/apps/apps'
import { revokeGrant } from './revoke-grant'
import { findRefreshToken } from './tokens'

/**
 * Revokes the whole grant of the token, as RFC 7009 allows. Ignores unknown tokens and tokens of other apps without an
 * error. Decision 0045.
 */
export async function revokePresentedToken(
  db: Database,
  app: App,
  token: string,
  { address, now }: { readonly address: string | null; readonly now: number },
): Promise<void> {
  const grant = (await findAccessTokenGrant(db, token)) ?? (await findRefreshToken(db.sql, token))
  if (grant?.appId !== app.id) return
  const revocation = { actor: { type: 'app', id: app.id }, reason: 'revoked by the app', address, now } as const
  await db.sql.begin((tx) => revokeGrant(tx, grant.workspaceId, grant.grantId, revocation))
}

interface TokenGrant {
  readonly workspaceId: string
  readonly grantId: string
  readonly appId: string
}

const findAccessTokenGrant = ({ control }: Database, token: string): Promise<TokenGrant | undefined> =>
  control
    .selectFrom('relata.tokens')
    .select(['workspace_id as workspaceId', 'grant_id as grantId', 'client_id as appId'])
    .where('token_hash', '=', hashColumn(token))
    .where('grant_id', 'is not', null)
    .$castTo<TokenGrant>()
    .executeTakeFirst()
