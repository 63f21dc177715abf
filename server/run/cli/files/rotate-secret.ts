import { audit, COMMAND_LINE } from '#access/audit-log/audit'
import { rotateDownloadSecret } from '#api/http/signed-downloads/sign-download'
import { defineCommand } from '#run/cli/command'
import { getNamedWorkspace, listWorkspaces } from '#run/cli/find-workspace'

export const filesRotateSecret = defineCommand({
  name: 'files rotate-secret',
  summary: 'Makes another secret for the signed addresses of files and videos. Those that were given out end at once.',
  options: {
    workspace: { kind: 'text', value: '<slug>', description: 'The workspace; by default all of them.' },
  },
  async run({ options: { workspace } }, { db, now, print }) {
    const chosen = workspace === undefined ? await listWorkspaces(db) : [await getNamedWorkspace(db, workspace)]
    for (const { id, slug, name } of chosen) {
      const entry = { ...COMMAND_LINE, workspaceId: id, action: 'workspace.download-secret-rotated' } as const
      await db.sql.begin(async (tx) => {
        await rotateDownloadSecret(db, tx, id)
        await audit(tx, { ...entry, subject: { type: 'workspace', id, name }, now: now() })
      })
      print(`The signed addresses of ${slug} have ended.`)
    }
    if (chosen.length === 0) print('There is no workspace yet.')
    return 0
  },
})
