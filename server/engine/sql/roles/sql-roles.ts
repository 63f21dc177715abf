/**
 * The login roles of workspaces. SQL of API callers runs as the role of its workspace, which owns nothing and may read only
 * the tables of that workspace. Decision 0101.
 */

import { createHmac } from 'node:crypto'
import type { Database } from '#db/connect'
import type { RoleLogin } from '#db/role-connection'
import { createLru } from '#base/caching/lru'
import type { DataModel } from '#engine/data-model/model'
import { grantTables } from './grant-tables'
import { prepareRole } from './prepare-role'
import type { SqlLimits } from './role-settings'

export interface SqlRoles {
  /** Returns the role of the workspace, which may read all tables of this version of the data model. */
  get(model: DataModel): Promise<RoleLogin>
  /** Makes the role again at the next use, because PostgreSQL refused it. */
  forget(workspaceId: string): void
}

interface Prepared {
  readonly version: number
  readonly role: Promise<RoleLogin>
}

/** A workspace that is evicted costs a few statements at its next use. */
const MAX_ROLES = 1000

export function createSqlRoles(db: Database, limits: SqlLimits): SqlRoles {
  const prepared = createLru<string, Prepared>(MAX_ROLES)
  const refused = createLru<string, true>(MAX_ROLES)
  return {
    get(model) {
      const { id } = model.workspace
      const cached = prepared.get(id)
      if (cached !== undefined && cached.version >= model.version) return cached.role
      const role = makeRole(db, limits, model, refused.get(id) === true)
      refused.delete(id)
      const entry = { version: model.version, role }
      prepared.set(id, entry)
      role.catch(() => prepared.get(id) === entry && prepared.delete(id))
      return role
    },
    forget(workspaceId) {
      prepared.delete(workspaceId)
      refused.set(workspaceId, true)
    },
  }
}

/** `resetsPassword` is set when PostgreSQL has refused the role, whose password may be that of another database's copy. */
async function makeRole(
  db: Database,
  limits: SqlLimits,
  model: DataModel,
  resetsPassword: boolean,
): Promise<RoleLogin> {
  const role = await loginOf(db, model)
  await db.sql.begin(async (tx) => {
    await prepareRole(tx, role, { limits, resetsPassword })
    await grantTables(tx, role.name, model)
  })
  return role
}

/**
 * The name contains the number of the database, because roles belong to the whole server, on which several databases may have
 * a workspace with this number. All processes compute the same password.
 */
async function loginOf({ sql }: Database, { workspace }: DataModel): Promise<RoleLogin> {
  const [found] = await sql<{ secret: string; database: number }[]>`
    select secret, (select oid::int8::text from pg_database where datname = current_database()) as database
    from relata.workspaces where id = ${workspace.id}`
  if (!found) throw new Error(`Workspace ${workspace.id} does not exist.`)
  const name = `relata_sql_${found.database}_${workspace.number}`
  const password = createHmac('sha256', found.secret).update(`role ${name}`).digest('hex')
  return { name, password }
}
