import { CommandError, defineCommand } from '#run/cli/command'
import { getNamedWorkspace, WORKSPACE_OPTION } from '#run/cli/find-workspace'
import { createProgress, elapsedSeconds, perSecond } from '#run/cli/transfer/progress'
import { exportWorkspace } from './export-workspace'

/** Writes a whole workspace to a folder. See docs/export-format.md. */
export const exportCommand = defineCommand({
  name: 'export',
  summary: 'Writes a whole workspace to a folder, with history and files. import-workspace reads it.',
  positionals: ['<folder>'],
  options: { workspace: WORKSPACE_OPTION },
  async run({ options, positionals: [folder = ''] }, { db, blobs, now, print }) {
    const { id, slug } = await getNamedWorkspace(db, options.workspace)
    if (folder === '') throw new CommandError('Name a folder.')
    const startedAt = performance.now()
    const progress = createProgress(process.stderr)
    const manifest = await exportWorkspace({ db, blobs, now, workspaceId: id, folder, progress })
    progress.done()
    const entities = manifest.files.filter(({ name }) => name.includes('/')).reduce((sum, { lines }) => sum + lines, 0)
    const lines = manifest.files.reduce((sum, file) => sum + file.lines, 0)
    print(
      `Exported the workspace ${slug}: ${entities} records and entries, ${lines} lines in all, ${manifest.blobs.count} files ` +
        `in ${elapsedSeconds(startedAt)} s (${perSecond(lines, startedAt)} lines/s).`,
    )
    return 0
  },
})
