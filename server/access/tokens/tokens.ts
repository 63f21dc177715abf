/**
 * Tokens: API keys, and access tokens of apps under their grants. Made, found by hash, revoked; the token itself is shown
 * once and never kept. See docs/reference/access-and-oauth.md (Tokens, Secrets and the audit log).
 */

import type { Database, Transaction } from '../../../db/connect'
import { deleteWebhooksOf } from '../../webhooks/delete-webhooks'
import { newId } from '../../ids'
import type { Scope } from '../../scopes'
import { microsFromPostgres, timestampFromMicros, type Micros } from '../../timing/clock'
import { createActor } from '../members/actors'

/** What a valid token stands for. */
export interface Token {
  readonly id: string
  /** What its requests and idempotency keys are counted by. */
  readonly key: string
  /** Whether its requests are counted. */
  readonly limited: boolean
  readonly workspaceId: string
  readonly actor: number
  readonly scopes: ReadonlySet<Scope>
  readonly clientId: string
  readonly authorizedBy: string
  readonly createdAt: Micros
  readonly expiresAt: Micros | null
}

export interface NewToken {
  readonly workspaceId: string
  readonly name: string
  readonly scopes: readonly Scope[]
  /** The id of the member who made it. */
  readonly authorizedBy: string
  readonly now: Micros
}

/** The channel on which processes tell each other that a token changed; its payload is the hash in hex. */
export const TOKENS_CHANNEL = 'relata_tokens'

/** Makes an API key, which is also an actor of its workspace. */
export async function createToken(db: Database, input: NewToken): Promise<{ id: string; token: string }> {
  return db.sql.begin((tx) => insertToken(tx, input))
}

/** The same within a transaction. */
export async function insertToken(tx: Transaction, input: NewToken): Promise<{ id: string; token: string }> {
  const id = newId()
  const token = randomToken()
  const actor = await createActor(tx, input.workspaceId, 'api-token', id)
  await tx`
    insert into relata.tokens
      (workspace_id, id, name, token_hash, hint, scopes, client_id, actor, authorized_by_workspace_member_id, created_at)
    values
      (${input.workspaceId}, ${id}, ${input.name}, decode(${hashToken(token)}, 'hex'), ${token.slice(-4)}, ${[...input.scopes]},
       ${newId()}, ${actor}, ${input.authorizedBy}, ${timestampFromMicros(input.now)})`
  return { id, token }
}

/** Ends a token everywhere at once, and the webhooks that were its own. False when the workspace has no such token, or it was revoked before. */
export async function revokeToken(db: Database, workspaceId: string, id: string, now: Micros): Promise<boolean> {
  return db.sql.begin((tx) => revokeTokenIn(tx, workspaceId, id, now)) as Promise<boolean> // the driver widens what it gives
}

/** The same within a transaction. */
export async function revokeTokenIn(tx: Transaction, workspaceId: string, id: string, now: Micros): Promise<boolean> {
  const [revoked] = await tx<[{ client_id: string }?]>`
    update relata.tokens set revoked_at = ${timestampFromMicros(now)}
    where workspace_id = ${workspaceId} and id = ${id} and revoked_at is null
    returning client_id, pg_notify(${TOKENS_CHANNEL}, encode(token_hash, 'hex'))`
  if (revoked === undefined) return false
  await deleteWebhooksOf(tx, workspaceId, revoked.client_id)
  return true
}

/** The only look-up that does not begin with a workspace: it is how the workspace becomes known. */
export async function findToken(db: Database, hash: string): Promise<Token | undefined> {
  const [row] = await db.sql<[TokenRow?]>`
    select id, workspace_id, grant_id, actor, scopes, client_id, authorized_by_workspace_member_id, created_at, expires_at
    from relata.tokens where token_hash = decode(${hash}, 'hex') and revoked_at is null`
  if (row === undefined) return undefined
  return {
    id: row.id,
    // All tokens of an app in a workspace count together.
    key: row.grant_id === null ? row.id : `app:${row.client_id}:${row.workspace_id}`,
    limited: true,
    workspaceId: row.workspace_id,
    actor: row.actor,
    scopes: new Set(row.scopes),
    clientId: row.client_id,
    authorizedBy: row.authorized_by_workspace_member_id,
    createdAt: microsFromPostgres(row.created_at),
    expiresAt: row.expires_at === null ? null : microsFromPostgres(row.expires_at),
  }
}

/** Notes that a token is in use, for those who wonder whether it can go. */
export async function recordTokenUse(db: Database, token: Token, now: Micros): Promise<void> {
  await db.sql`
    update relata.tokens set last_used_at = ${timestampFromMicros(now)}
    where workspace_id = ${token.workspaceId} and id = ${token.id}`
}

/** 256 random bits in 64 characters. */
export const randomToken = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')

export const hashToken = (token: string): string => new Bun.CryptoHasher('sha256').update(token).digest('hex')

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
}
