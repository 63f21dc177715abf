/**
 * Tokens: API keys, and access tokens of apps under their grants. A token is shown once; the database has its hash. See
 * docs/reference/access-and-oauth.md (Tokens, Token levels, Secrets and the audit log); docs/decisions/token-levels.md.
 */
import { sql } from 'kysely'
import { createActor } from '#access/members/actors'
import { hashColumn, newToken } from '#access/secrets'
import { createLru } from '#base/caching/caching'
import { newId } from '#base/ids'
import { type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import { type Database, runOnLookupPool, type Transaction } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import type { DataModel } from '#engine/data-model/model'
import { moveOf, type WorkspaceMove } from '#engine/workspaces/workspace-move'
import { deleteWebhooksOf } from '#events/webhooks/delete-webhooks'
import { hasPermission, type Role, scopesOfRole } from '#vocabulary/roles'
import { commonScopes, type Scope, type TokenLevel } from '#vocabulary/scopes'

/** The part of the service that accepts a token: the endpoint for assistants, or null for all of it. */
export type TokenResource = 'mcp' | null

/** A valid token: its workspace, actor and scopes. */
export interface Token {
  readonly id: string
  /** Rate limits and idempotency keys are counted by this. */
  readonly key: string
  /** Whether the rate limit applies. */
  readonly limited: boolean
  readonly workspaceId: string
  readonly actor: number
  readonly scopes: ReadonlySet<Scope>
  readonly clientId: string
  readonly authorizedBy: string
  readonly createdAt: Micros
  readonly expiresAt: Micros | null
  readonly resource: TokenResource
  readonly level: TokenLevel
  /** Undefined unless the workspace moves to another service, or has moved there. */
  readonly move: WorkspaceMove | undefined
}

export interface NewToken {
  readonly workspaceId: string
  readonly name: string
  readonly scopes: readonly Scope[]
  /** The id of the member who creates it. */
  readonly authorizedBy: string
  readonly now: Micros
}

/** The channel on which a process announces that a token changed. The payload is the hash in hex. */
export const TOKENS_CHANNEL = 'relata_tokens'

/** Announces a changed token, in the `returning` clause of the statement that changes it. */
export const notifyTokenChange = sql<string>`pg_notify(${TOKENS_CHANNEL}, encode(token_hash, 'hex'))`

/** Creates an API key, which is also an actor of its workspace. */
export async function createToken(db: Database, input: NewToken): Promise<{ id: string; token: string }> {
  return db.sql.begin((tx) => insertToken(tx, input))
}

/** Does the same within a transaction. */
export async function insertToken(
  tx: Transaction,
  { workspaceId, name, scopes, authorizedBy, now }: NewToken,
): Promise<{ id: string; token: string }> {
  const id = newId()
  const token = newToken()
  const actor = await createActor(tx, workspaceId, 'api-token', id)
  await controlQueriesIn(tx)
    .insertInto('relata.tokens')
    .values({
      workspace_id: workspaceId,
      id,
      name,
      token_hash: hashColumn(token),
      hint: hintOf(token),
      scopes: [...scopes],
      client_id: newId(),
      actor,
      authorized_by_workspace_member_id: authorizedBy,
      created_at: timestampFromMicros(now),
    })
    .execute()
  return { id, token }
}

/** Returns the end of a token or a secret, by which people recognise it. */
export const hintOf = (secret: string): string => secret.slice(-4)

/** Revokes a token in all processes and deletes its webhooks. Returns false when the workspace has no such valid token. */
export async function revokeToken(db: Database, workspaceId: string, id: string, now: Micros): Promise<boolean> {
  return db.sql.begin((tx) => revokeTokenIn(tx, workspaceId, id, now)) as Promise<boolean> // the driver's type for the callback's result is wider
}

/** Does the same within a transaction. */
export async function revokeTokenIn(tx: Transaction, workspaceId: string, id: string, now: Micros): Promise<boolean> {
  const revoked = await controlQueriesIn(tx)
    .updateTable('relata.tokens')
    .set({ revoked_at: timestampFromMicros(now) })
    .where(equal({ workspace_id: workspaceId, id }))
    .where('revoked_at', 'is', null)
    .returning(['client_id', notifyTokenChange.as('notified')])
    .executeTakeFirst()
  if (revoked === undefined) return false
  await deleteWebhooksOf(tx, workspaceId, revoked.client_id)
  return true
}

/** Finds a token by its hash in hex, also one of a workspace that has moved. The statement names no workspace, because the token determines it. */
export async function findToken(db: Database, hash: string): Promise<Token | undefined> {
  const row = await runOnLookupPool(db, (on) =>
    controlQueriesIn(on)
      .selectFrom('relata.tokens as t')
      .innerJoin('relata.all_workspaces as w', 'w.id', 't.workspace_id')
      .select(['t.id', 't.workspace_id', 't.grant_id', 't.actor', 't.scopes', 't.client_id', 't.created_at'])
      .select(['t.authorized_by_workspace_member_id', 't.expires_at', 't.resource', 't.level'])
      .select(['w.deleted_at', 'w.moved_to'])
      .where('t.token_hash', '=', sql<Buffer>`decode(${hash}, 'hex')`)
      .where('t.revoked_at', 'is', null)
      .where(({ eb, or }) => or([eb('w.deleted_at', 'is', null), eb('w.moved_to', 'is not', null)]))
      .$castTo<TokenRow>()
      .executeTakeFirst(),
  )
  if (row === undefined) return undefined
  return {
    id: row.id,
    key: keyOf(row),
    limited: true,
    workspaceId: row.workspace_id,
    actor: row.actor,
    scopes: scopeSetOf(row.scopes),
    clientId: row.client_id,
    authorizedBy: row.authorized_by_workspace_member_id,
    createdAt: microsFromPostgres(row.created_at),
    expiresAt: row.expires_at === null ? null : microsFromPostgres(row.expires_at),
    resource: row.resource,
    level: row.level,
    move: moveOf(row),
  }
}

/** The cache holds thousands of tokens, and most have the scopes of many others. */
const scopeSets = createLru<string, ReadonlySet<Scope>>(1_000)

function scopeSetOf(scopes: readonly Scope[]): ReadonlySet<Scope> {
  const key = scopes.join(' ')
  const set = scopeSets.get(key) ?? new Set(scopes)
  scopeSets.set(key, set)
  return set
}

/** All tokens of an app in a workspace share one rate limit. Those that act for a member share that of the member. */
function keyOf({
  id,
  grant_id,
  client_id,
  workspace_id,
  level,
  authorized_by_workspace_member_id: memberId,
}: TokenRow) {
  if (grant_id === null) return id
  const ofApp = `app:${client_id}:${workspace_id}`
  return level === 'user' ? `${ofApp}:${memberId}` : ofApp
}

/** Stores when a token was last used, so that people see which tokens they can revoke. */
export async function recordTokenUse({ control }: Database, token: Token, now: Micros): Promise<void> {
  await control
    .updateTable('relata.tokens')
    .set({ last_used_at: timestampFromMicros(now) })
    .where(equal({ workspace_id: token.workspaceId, id: token.id }))
    .execute()
}

interface TokenRow {
  id: string
  workspace_id: string
  grant_id: string | null
  actor: number
  scopes: Scope[]
  client_id: string
  authorized_by_workspace_member_id: string
  created_at: string
  expires_at: string | null
  resource: TokenResource
  level: TokenLevel
  deleted_at: string | null
  moved_to: string | null
}

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
    .where(equal({ workspace_id: workspaceId, client_id: clientId }))
    .where('grant_id', 'is', null)
    .where('revoked_at', 'is', null)
    .unionAll((query) =>
      query
        .selectFrom('relata.grants')
        .select('scopes')
        .where(
          equal({ app_id: clientId, workspace_id: workspaceId, workspace_member_id: memberId, level: 'workspace' }),
        )
        .where('revoked_at', 'is', null),
    )
    .$castTo<{ scopes: Scope[] }>()
    .execute()
  return rows.length === 0 ? undefined : new Set(rows.flatMap(({ scopes }) => scopes))
}

/** Whether a member may authorise an app. A token that acts for the member is like an API key of the member. */
export const mayAuthorize = (role: Role, level: TokenLevel): boolean =>
  level === 'user' ? hasPermission(role, 'api_keys') : role.accessLevel === 'admin'

/**
 * The token with the scopes that its member has at present as well. Undefined when it acts for a
 * suspended member. A token of the workspace has what its scopes allow; one of the level `user` acts for the member who authorised it, with
 * the access that this member has at the time of each request.
 */
export function presentToken(token: Token, model: DataModel): Token | undefined {
  if (token.level === 'workspace') return token
  const member = model.membersById.get(token.authorizedBy)
  if (member === undefined || member.access_level === 'suspended') return undefined
  const role = { accessLevel: member.access_level, memberPermissions: model.workspace.member_permissions }
  return { ...token, scopes: commonScopes(token.scopes, scopesOfRole(role)) }
}
