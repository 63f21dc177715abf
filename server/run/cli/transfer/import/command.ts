import { CommandError, defineCommand, UsageError } from '#run/cli/command'
import type { Manifest, WorkspaceEntry } from '#run/cli/transfer/format'
import { COMMAND } from '#db/program'
import { createProgress, elapsedSeconds, perSecond } from '#run/cli/transfer/progress'
import { importWorkspace } from './import-workspace'
import { openExport } from './open-export'

const SLUG = /^(?=.{1,60}$)[a-z0-9]+(-[a-z0-9]+)*$/

/** Reads an exported workspace into a new or an empty one. See docs/export-format.md. */
export const importWorkspaceCommand = defineCommand({
  name: 'import-workspace',
  summary: 'Reads an exported workspace into a new or an empty workspace.',
  positionals: ['<folder>'],
  options: {
    workspace: {
      kind: 'text',
      value: '<slug>',
      description: 'The slug of the workspace, which is created or empty. Default: that of the export.',
    },
    name: { kind: 'text', value: '<name>', description: 'The name of the workspace. Default: that of the export.' },
  },
  async run({ options, positionals: [folder = ''] }, { db, blobs, now, print }) {
    const progress = createProgress(process.stderr)
    const startedAt = performance.now()
    const manifest = await openExport(folder, progress)
    const workspace = withGiven(manifest, options)
    await importWorkspace({ db, blobs, now, folder, manifest, workspace, progress })
    progress.done()
    const lines = manifest.files.reduce((sum, file) => sum + file.lines, 0)
    print(
      `Imported the workspace ${workspace.slug}: ${lines} lines and ${manifest.blobs.count} files ` +
        `in ${elapsedSeconds(startedAt)} s (${perSecond(lines, startedAt)} lines/s).`,
    )
    print(`Members without an account on this service sign in after ${COMMAND} account reset-password <email>.`)
    return 0
  },
})

function withGiven(
  manifest: Manifest,
  given: { readonly workspace: string | undefined; readonly name: string | undefined },
): WorkspaceEntry {
  const slug = given.workspace ?? manifest.workspace.slug
  const name = given.name ?? manifest.workspace.name
  if (given.workspace !== undefined && !SLUG.test(slug))
    throw new UsageError(
      `--workspace is a slug of lower-case letters, digits and hyphens, not "${slug.slice(0, 100)}".`,
    )
  if (!SLUG.test(slug)) throw new CommandError('The slug of the export is invalid; give --workspace.')
  if (name.trim() === '' || name.length > 200) throw new UsageError('--name has from 1 to 200 characters.')
  return { ...manifest.workspace, slug, name }
}
