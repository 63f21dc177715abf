import { adoptBytes, findBlobsWithoutBytes, findBytesWithoutBlob } from '#crm/blobs/store'
import { defineCommand, getNamedWorkspace, listWorkspaces } from '#run/cli/command'
import { audit, COMMAND_LINE } from '#access/audit-log/audit'
import { rotateDownloadSecret } from '#api/http/signed-downloads/sign-download'

export const filesCheck = defineCommand({
  name: 'files check',
  summary: 'Compares the stored bytes of files with the database.',
  options: {
    repair: {
      kind: 'flag',
      description:
        'Lets the service delete, an hour later, bytes that the database does not name. Lost bytes come back only from a backup.',
    },
  },
  async run({ options }, { db, blobs: { bytes }, print }) {
    let problems = 0
    for await (const { workspaceId, digest, references } of findBlobsWithoutBytes(db, bytes)) {
      // The worker deletes the row of a blob that no file needs.
      if (references === 0) continue
      problems++
      print(
        `The bytes ${digest.toString('hex')} of workspace ${workspaceId}, which ${references} files need, are lost.`,
      )
    }
    for await (const key of findBytesWithoutBlob(db, bytes)) {
      const name = `The bytes ${key.digest.toString('hex')} of workspace ${key.workspaceId} belong to no file`
      if (options.repair) await adoptBytes(db, bytes, key)
      else problems++
      print(`${name}${options.repair ? '; the service deletes them.' : '.'}`)
    }
    print(problems === 0 ? 'All files are as they should be.' : `${problems} problems remain.`)
    return problems === 0 ? 0 : 1
  },
})

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
  },
})
