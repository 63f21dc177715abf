import { audit, COMMAND_LINE } from '#access/audit-log/audit'
import { addDomain, markVerified, normalDomain } from '#access/domains/domains'
import { CommandError, defineCommand } from '#run/cli/command'
import { getNamedWorkspace, WORKSPACE_OPTION } from '#run/cli/find-workspace'

export const domainVerify = defineCommand({
  name: 'domain verify',
  summary: 'Makes a domain a verified domain of a workspace, without a DNS record.',
  positionals: ['<domain>'],
  options: { workspace: WORKSPACE_OPTION },
  async run({ options, positionals: [text = ''] }, { db, now, print }) {
    const domain = normalDomain(text)
    if (domain === undefined) throw new CommandError(`"${text}" is not a domain, such as example.com.`)
    const { id: workspaceId, slug } = await getNamedWorkspace(db, options.workspace)
    await db.sql.begin(async (tx) => {
      const { row } = await addDomain(tx, workspaceId, domain, now())
      if (row.verified_at !== null) return
      await markVerified(tx, workspaceId, row.id, now())
      const subject = { type: 'domain', id: row.id, name: domain }
      await audit(tx, { ...COMMAND_LINE, workspaceId, action: 'domain.verified', subject, now: now() })
    })
    print(`${domain} is a verified domain of workspace ${slug}.`)
  },
})
