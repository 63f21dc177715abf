/** The rules of a workspace for sign-in. See docs/reference/sign-in.md (Rules of a workspace). */

import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { SignIn } from '#access/sessions/sessions'

export interface SignInRules {
  readonly requires_provider: boolean
  /** The admin whose password still opens the workspace. */
  readonly break_glass_member_id: string | null
  readonly requires_second_factor: boolean
}

const NO_RULES: SignInRules = {
  requires_provider: false,
  break_glass_member_id: null,
  requires_second_factor: false,
}

export async function getRules(sql: Sql | Transaction, workspaceId: string): Promise<SignInRules> {
  const row = await controlQueriesIn(sql)
    .selectFrom('relata.sign_in_rules')
    .select(['requires_provider', 'break_glass_member_id', 'requires_second_factor'])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  return row ?? NO_RULES
}

export async function saveRules(sql: Sql | Transaction, workspaceId: string, rules: SignInRules): Promise<void> {
  await controlQueriesIn(sql)
    .insertInto('relata.sign_in_rules')
    .values({ workspace_id: workspaceId, ...rules })
    .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet({ ...rules }))
    .execute()
}

/** What a session lacks to open a workspace. */
export type MissingStep = 'provider' | 'second_factor'

export interface RulesForMember extends SignInRules {
  readonly hasOwnProvider: boolean
}

/**
 * Returns the step that a session lacks. The workspace's own provider is responsible for the second factor of its users.
 * The provider of the installation counts as the workspace's provider when the workspace has none.
 */
export function missingStepOf(
  signIn: SignIn,
  member: { readonly workspaceId: string; readonly memberId: string },
  rules: RulesForMember,
): MissingStep | null {
  const isOwnProvider = signIn.workspaceId === member.workspaceId
  const isBreakGlass = rules.break_glass_member_id === member.memberId
  if (rules.requires_provider && !isBreakGlass) {
    const isOfInstallation = signIn.method === 'provider' && signIn.workspaceId === null
    if (!isOwnProvider && (rules.hasOwnProvider || !isOfInstallation)) return 'provider'
  }
  return rules.requires_second_factor && !isOwnProvider && signIn.secondFactor === null ? 'second_factor' : null
}

/** Whether the member is the admin who can sign in with a password while the workspace requires its provider. */
export async function isBreakGlassAdmin(tx: Transaction, workspaceId: string, memberId: string): Promise<boolean> {
  const { requires_provider, break_glass_member_id } = await getRules(tx, workspaceId)
  return requires_provider && break_glass_member_id === memberId
}
