/** The people of a workspace. Spec 2.3. */

import type { Database } from '../../db/connect'
import { timestampFromMicros, type Micros } from '../time'
import { createActor } from './actors'

export interface NewMember {
  readonly first_name: string
  readonly last_name: string
  readonly email_address: string
  readonly access_level: 'admin' | 'member' | 'suspended'
  /** The account that signs in as this member; null for one who was only named. */
  readonly account_id: string | null
}

/** Adds a person to a workspace, and the actor that stands for what they do. */
export async function createMember(
  db: Database,
  workspaceId: string,
  member: NewMember,
  now: Micros,
): Promise<{ id: string }> {
  const id = Bun.randomUUIDv7()
  await db.sql.begin(async (tx) => {
    await createActor(tx, workspaceId, 'workspace-member', id)
    await tx`
      insert into relata.workspace_members
        (workspace_id, id, account_id, first_name, last_name, email_address, access_level, created_at)
      values
        (${workspaceId}, ${id}, ${member.account_id}, ${member.first_name}, ${member.last_name},
         ${member.email_address}, ${member.access_level}, ${timestampFromMicros(now)})`
  })
  return { id }
}
