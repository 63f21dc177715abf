import { READ_WRITE_SCOPES } from '#vocabulary/scopes'
import { defineCommand } from '#run/cli/command'
import { getWorkspace, WORKSPACE_OPTION } from '#run/cli/find-workspace'
import { renderTable } from '#run/cli/table'

interface KeyRow {
  readonly id: string
  readonly name: string
  readonly hint: string
  readonly scopes: string[]
  readonly created_at: string
  readonly last_used_at: string | null
  readonly revoked_at: string | null
}

export const keyList = defineCommand({
  name: 'key list',
  summary: 'Lists the API keys of a workspace, revoked ones included.',
  options: { workspace: WORKSPACE_OPTION },
  async run({ options }, { db, print }) {
    const { id } = await getWorkspace(db, options.workspace)
    const keys = await db.sql<KeyRow[]>`
      select id, name, hint, scopes, created_at, last_used_at, revoked_at
      from relata.tokens where workspace_id = ${id} and grant_id is null order by created_at, id`
    const rows = keys.map((key) => [
      key.id,
      key.name,
      `…${key.hint}`,
      minute(key.created_at),
      key.last_used_at === null ? 'never' : minute(key.last_used_at),
      key.revoked_at === null ? 'valid' : `revoked ${minute(key.revoked_at)}`,
      key.scopes.length === READ_WRITE_SCOPES.length ? 'all' : key.scopes.join(','),
    ])
    for (const line of renderTable(['id', 'name', 'ends in', 'made', 'last used', 'state', 'scopes'], rows)) print(line)
    return 0
  },
})

const minute = (timestamp: string): string => timestamp.slice(0, 16)
