/** Commands about backups of the whole service. See docs/running.md (Backup). */

import { checkBackup, restoreBackup } from '#run/backup/restore-backup'
import { describeContents, listBackups, openRepository, readContents, type Repository } from '#run/backup/format'
import { withReadLock } from '#run/backup/locks'
import { openPlace } from '#run/backup/target'
import { writeBackup } from '#run/backup/write-backup'
import { CommandError, type ConfiguredContext, defineConfiguredCommand } from './command'
import { createProgress, elapsedSeconds } from './transfer/progress'

const PLACE = '<folder or s3://bucket/prefix>'

export const backupCommand = defineConfiguredCommand({
  name: 'backup',
  tables: 'migrated',
  summary: 'Writes everything the service has to a folder or bucket, while it runs. restore reads it.',
  positionals: [PLACE],
  options: {},
  async runConfigured({ positionals: [place = ''] }, { db, blobs, config, secretKeys, print }) {
    const repository = await openRepository(openPlace(place, config), config.backupPassphrase, 'may be new')
    const startedAt = performance.now()
    const { name, contents, newFiles } = await writeBackup({
      db,
      blobs,
      repository,
      progress: createProgress(process.stderr),
    })
    print(
      `Wrote the backup ${name}: ${describeContents(contents)}, ${newFiles} files not in an earlier backup, in ${elapsedSeconds(startedAt)} s.`,
    )
    for (const { id } of contents.secret_keys ?? [])
      print(`A restore needs the key ${id} of ${secretKeys.place}, which is not in the backup: keep a copy elsewhere.`)
  },
})

export const backupsCommand = defineConfiguredCommand({
  name: 'backups',
  tables: 'as it is',
  summary: 'Lists the backups in a folder or bucket, the oldest first.',
  positionals: [PLACE],
  options: {},
  async runConfigured({ positionals: [place = ''] }, { config, print }) {
    const repository = await openRepository(openPlace(place, config), config.backupPassphrase, 'exists')
    for (const name of await listBackups(repository.target))
      print(`${name}  ${describeContents(await readContents(repository, name))}`)
  },
})

export const restoreCommand = defineConfiguredCommand({
  name: 'restore',
  tables: 'as it is',
  summary: 'Reads a backup into an empty database.',
  positionals: [PLACE],
  options: {
    backup: { kind: 'text', value: '<name>', description: 'The backup; by default the newest.' },
    check: { kind: 'flag', description: 'Reads and checks all of the backup, and writes nothing.' },
    'without-key': { kind: 'flag', description: 'The key of its secrets is lost: `secrets reset` follows.' },
  },
  async runConfigured({ options, positionals: [place = ''] }, context) {
    const { config, print, secretKeys } = context
    const repository = await openRepository(openPlace(place, config), config.backupPassphrase, 'exists')
    const read = async () => {
      const backup = await findBackup(repository, options.backup)
      const startedAt = performance.now()
      const progress = createProgress(process.stderr)
      if (options.check) {
        const contents = await checkBackup(repository, backup, progress)
        print(
          `The backup ${backup} is complete: ${describeContents(contents)}; read in ${elapsedSeconds(startedAt)} s.`,
        )
        return 0
      }
      const keys = options['without-key'] ? undefined : secretKeys
      const contents = await restoreBackup({ ...pickStores(context), repository, backup, progress, secretKeys: keys })
      print(
        `Restored the backup ${backup}: ${describeContents(contents)} in ${elapsedSeconds(startedAt)} s. The service starts on it as a copy that sends nothing until an admin decides.`,
      )
      return 0
    }
    return withReadLock(repository.target, read, print)
  },
})

const pickStores = ({ db, blobs }: ConfiguredContext) => ({ db, blobs })

async function findBackup({ target }: Repository, name: string | undefined): Promise<string> {
  const backups = await listBackups(target)
  const found = name === undefined ? backups.at(-1) : backups.find((each) => each === name)
  if (found !== undefined) return found
  throw new CommandError(
    name === undefined ? `${target.place} has no complete backup.` : `${target.place} has no complete backup ${name}.`,
  )
}
