import { adoptBytes, findBlobsWithoutBytes, findBytesWithoutBlob } from '#crm/blobs/compare'
import { defineCommand } from '#run/cli/command'

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
